import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "./bundle.ts";

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
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  await build({
    ...bundleOptions,
    splitting: false,
    sourcemap: false,
    legalComments: "none",
    entryPoints: [source],
    outfile: unfinished,
    external: Object.keys(dependencies),
    banner: {
      js: 'import { createRequire as createRequireForBundle } from "node:module"; const require = createRequireForBundle(import.meta.url);',
    },
  });
  // Other tests may start it at the same time.
  renameSync(unfinished, outfile);
  return outfile;
}
