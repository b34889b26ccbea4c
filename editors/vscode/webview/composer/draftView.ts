/** What goes with the text of a draft: attachments, pictures, and the message that it replaces. */

import type { Draft } from "../../src/shared/webviewMessages";
import { fill, h, icon, textButton } from "../dom";
import { attachmentChip, pictureChip } from "./chips";

export class DraftView {
  readonly banner = h("div", { class: "banner", hidden: true });
  readonly chips = h("div", { class: "chips", hidden: true });

  /** @param onChange takes what is left after a chip was removed. */
  constructor(
    private readonly onChange: (change: Partial<Draft>) => void,
    private readonly onCancelEditing: () => void,
  ) {}

  update({ attachments, images, replaces }: Draft): void {
    const chips = [
      ...attachments.map((attachment) =>
        attachmentChip(attachment, () =>
          this.onChange({ attachments: attachments.filter((other) => other !== attachment) }),
        ),
      ),
      ...images.map((image, index) =>
        pictureChip(image, index + 1, () =>
          this.onChange({ images: images.filter((other) => other !== image) }),
        ),
      ),
    ];
    this.chips.hidden = chips.length === 0;
    this.chips.replaceChildren(...chips);
    if (replaces === undefined) this.banner.replaceChildren();
    else if (this.banner.hidden) this.drawBanner();
    this.banner.hidden = replaces === undefined;
  }

  private drawBanner(): void {
    const text = "Editing an earlier message. What followed keeps its own branch; files are not rolled back.";
    fill(this.banner, icon("edit"), h("span", {}, text), textButton("Cancel", this.onCancelEditing, "quiet"));
  }
}
