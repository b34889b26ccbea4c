/** Ranks texts by how well a few typed letters fit them, as people expect of a file picker. */

/** The items that hold the query's letters in order, best first. */
export function bestMatches<T>(items: readonly T[], query: string, textOf: (item: T) => string): T[] {
  const wanted = query.toLowerCase();
  return items
    .map((item) => ({ item, text: textOf(item), score: score(textOf(item).toLowerCase(), wanted) }))
    .filter((candidate) => candidate.score > 0)
    .sort((a, b) => b.score - a.score || a.text.length - b.text.length || a.text.localeCompare(b.text))
    .map((candidate) => candidate.item);
}

/** 0 for no match; the name's start beats the name, the name beats the path, the path loose letters. */
function score(text: string, wanted: string): number {
  const name = text.slice(text.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 4;
  if (name.includes(wanted)) return 3;
  if (text.includes(wanted)) return 2;
  return holdsInOrder(text, wanted) ? 1 : 0;
}

function holdsInOrder(text: string, wanted: string): boolean {
  let from = 0;
  for (const letter of wanted) {
    const found = text.indexOf(letter, from);
    if (found < 0) return false;
    from = found + 1;
  }
  return true;
}
