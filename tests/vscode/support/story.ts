/** Tests that follow each other in one window; a step that fails keeps a picture of what was there. */

import { test } from "node:test";
import type { Editor } from "./editor.ts";

/** A function that declares steps for the editor that `current` gives. */
export function storyOf(current: () => Editor | undefined) {
  let failed = false;
  return (name: string, step: () => Promise<void>): void => {
    void test(name, async (context) => {
      if (failed) {
        context.skip("an earlier step failed");
        return;
      }
      try {
        await step();
      } catch (error) {
        failed = true;
        await current()?.picture(`failed-${name.replace(/\W+/g, "-").slice(0, 60)}`);
        throw error;
      }
    });
  };
}
