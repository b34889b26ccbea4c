/**
 * Scrolling of the transcript: it follows what comes only while the person is at the end, keeps
 * its place when older parts are put before it, and asks for them near the top.
 */

const END_TOLERANCE_PX = 24;
const NEAR_TOP_PX = 800;

export class Scroller {
  private atEnd = true;
  private lastTop = 0;

  constructor(
    private readonly scroll: HTMLElement,
    content: HTMLElement,
    private readonly toEndButton: HTMLElement,
    private readonly onNearTop: () => void,
  ) {
    toEndButton.hidden = true;
    scroll.addEventListener("scroll", () => this.scrolled(), { passive: true });
    // Pictures, opened details and the window's size change heights without an event of ours.
    new ResizeObserver(() => this.follow()).observe(content);
    new ResizeObserver(() => this.follow()).observe(scroll);
  }

  toEnd(): void {
    this.atEnd = true;
    this.follow();
  }

  /** Change the content; the view stays at the end, or where it was. */
  keepingPlace(change: () => void): void {
    const { scroll } = this;
    const fromBottom = scroll.scrollHeight - scroll.scrollTop;
    const first = this.firstVisible();
    const top = first?.getBoundingClientRect().top ?? 0;
    change();
    if (this.atEnd) this.follow();
    else if (first?.isConnected) scroll.scrollTop += first.getBoundingClientRect().top - top;
    else scroll.scrollTop = scroll.scrollHeight - fromBottom;
    if (scroll.scrollTop < NEAR_TOP_PX) this.onNearTop();
  }

  /** Bring an element to the top of the view, and let it be seen which one it is. */
  show(element: HTMLElement, offset?: number): void {
    this.atEnd = false;
    element.scrollIntoView({ block: "start" });
    this.scroll.scrollTop += offset ?? -8;
    if (offset === undefined) {
      element.classList.add("revealed");
      setTimeout(() => element.classList.remove("revealed"), 1600);
    }
    this.scrolled();
  }

  position(): { entryId: string; offset: number } | undefined {
    if (this.atEnd) return undefined;
    const first = this.firstVisible();
    const entryId = first?.dataset.entryId;
    if (!first || entryId === undefined) return undefined;
    return { entryId, offset: this.scroll.getBoundingClientRect().top - first.getBoundingClientRect().top };
  }

  private follow(): void {
    if (this.atEnd) this.scroll.scrollTop = this.scroll.scrollHeight;
    this.toEndButton.hidden = this.atEnd;
  }

  private scrolled(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.scroll;
    const nearEnd = scrollHeight - scrollTop - clientHeight < END_TOLERANCE_PX;
    // Only a person scrolls up; a view that became smaller still follows.
    if (nearEnd) this.atEnd = true;
    else if (scrollTop < this.lastTop) this.atEnd = false;
    this.lastTop = scrollTop;
    this.toEndButton.hidden = this.atEnd;
    if (scrollTop < NEAR_TOP_PX) this.onNearTop();
  }

  private firstVisible(): HTMLElement | undefined {
    const top = this.scroll.getBoundingClientRect().top;
    const items = this.scroll.querySelectorAll<HTMLElement>(".item[data-entry-id]");
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((items[middle]?.getBoundingClientRect().bottom ?? 0) > top) high = middle;
      else low = middle + 1;
    }
    return items[low];
  }
}
