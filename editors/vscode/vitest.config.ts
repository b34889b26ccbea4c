import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "jsdom",
    include: ["test/**/*.test.ts"],
    // Drawing is tested on real frames and timers of jsdom.
    environmentOptions: { jsdom: { pretendToBeVisual: true } },
  },
});
