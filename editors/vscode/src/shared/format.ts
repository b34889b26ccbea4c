/** Figures and times as people read them. */

/** `1.2k`, `200k`, `1.5M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

/** `$0.12`; less than a cent is said with one more figure. */
export function dollars(amount: number): string {
  if (amount > 0 && amount < 0.01) return amount < 0.001 ? "<$0.001" : `$${amount.toFixed(3)}`;
  return `$${amount.toFixed(2)}`;
}

/** `320 ms`, `4.2 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `just now`, `5 min ago`, `3 h ago`, `yesterday`, `4 days ago`, then the date. */
export function timeAgo(then: Date, now: Date = new Date()): string {
  const minutes = Math.floor((now.getTime() - then.getTime()) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  if (days === 1) return "yesterday";
  return days < 8 ? `${days} days ago` : then.toLocaleDateString();
}

/** A model's name without what is said of it in brackets. */
export function shortName(name: string): string {
  return name.replace(/ \(.*\)$/, "");
}

/** `1 message`, `3 messages`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? "" : "s"}`;
}

function trimmed(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
}
