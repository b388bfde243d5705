// Bundles what the pages load into ../quoth/web/static/dist, under names that change with the
// content, and writes manifest.json, by which the pages find them. A build that fails leaves the
// bundle as it was.

import { build } from "esbuild";
import { rmSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const home = join(here, "..", "quoth", "web", "static");
const dist = join(home, "dist");
await mkdir(home, { recursive: true });
const fresh = await mkdtemp(join(home, ".building-"));
process.on("exit", () => rmSync(fresh, { recursive: true, force: true }));

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ["src/quoth.js", "src/quoth.css", "src/icon.svg"],
  entryNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  outdir: fresh,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome115", "firefox115", "safari16.4"],
  loader: { ".svg": "copy" },
  legalComments: "eof",
  metafile: true,
  logLevel: "warning",
}).catch(() => process.exit(1)); // It has said what is wrong, and where; our stack adds nothing.

const files = {};
for (const [output, { entryPoint, inputs }] of Object.entries(metafile.outputs)) {
  files[basename(entryPoint ?? Object.keys(inputs)[0])] = basename(output);
}
// The hook that calls us says what the sources are, so that it knows when to call again.
const manifest = { sources: process.argv[2] ?? "", files };
await writeFile(join(fresh, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);

await rm(dist, { recursive: true, force: true });
await rename(fresh, dist);
// Made private to us; whoever runs the installed package reads it.
await chmod(dist, 0o755);
