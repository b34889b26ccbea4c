/** What the drawings of items share. */

import type { ChatOptions } from "../../src/shared/webviewMessages";
import type { ConversationModel } from "../conversationModel";
import type { Host } from "../host";
import type { Item } from "../item";

export interface ViewContext {
  host: Host;
  model: ConversationModel;
  options: ChatOptions;
  /** Say something to screen readers, when nothing else is being said. */
  announce: (text: string) => void;
  /** Put a user message into the composer, to be sent again in another form. */
  edit: (item: Extract<Item, { kind: "user" }>) => void;
  /** Where the two sides of an edit can be seen, as the question about it said. */
  diffOf: (toolCallId: string) => { beforeUri: string; afterUri: string } | undefined;
}

/** The drawing of one item. */
export interface ItemView {
  readonly element: HTMLElement;
  /** The item changed: draw what is different. */
  update(item: Item): void;
}
