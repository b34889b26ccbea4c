/** Bundles the extension for Node and the chat for its webview. */

import * as esbuild from "esbuild";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

const common = {
  bundle: true,
  outdir: "out",
  minify: production,
  sourcemap: production ? false : "linked",
  legalComments: "external",
  logLevel: "info",
};

const builds = [
  {
    ...common,
    entryPoints: { extension: "src/extension.ts" },
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
  },
  {
    ...common,
    entryPoints: { webview: "webview/main.ts" },
    platform: "browser",
    format: "iife",
    target: "chrome120",
    loader: { ".ttf": "file" },
    assetNames: "[name]",
  },
];

if (watch) {
  for (const build of builds) await (await esbuild.context(build)).watch();
} else {
  await Promise.all(builds.map((build) => esbuild.build(build)));
}
