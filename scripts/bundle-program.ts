import { mkdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { programOptions } from "./bundle.ts";

const root = join(import.meta.dirname, "..");
/** Below the repository, so that a program finds the packages and the migrations. */
const folder = join(root, "node_modules/.cache/programs");

/**
 * Bundles a program that tests start many times: its sources alone take most of a second to load. Gives the path of the
 * bundle.
 */
export async function bundleProgram(source: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${basename(source, ".ts")}.js`);
  const unfinished = `${outfile}.${process.pid}`;
  await build({
    ...programOptions,
    splitting: false,
    sourcemap: false,
    legalComments: "none",
    entryPoints: [source],
    outfile: unfinished,
  });
  // Other tests may start it at the same time.
  renameSync(unfinished, outfile);
  return outfile;
}
