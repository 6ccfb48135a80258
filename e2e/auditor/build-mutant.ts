import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { bundleProcesses } from "../../scripts/bundle.ts";
import { repository } from "../support/project.ts";
import { atExit } from "./at-exit.ts";
import { changeSource, type SourceChange } from "./changed-source.ts";

const built = new Map<string, Promise<string>>();

/**
 * Builds the product with these changes, once, in a folder of its own that is removed when this process ends. Gives its
 * command line. Throws when a change is not part of what was built.
 */
export function buildMutant(changes: readonly SourceChange[]): Promise<string> {
  const key = JSON.stringify(changes);
  const known = built.get(key) ?? build(changes);
  built.set(key, known);
  return known;
}

async function build(changes: readonly SourceChange[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-mutant-"));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  const dist = join(folder, "dist");
  mkdirSync(dist);
  for (const part of ["package.json", "drizzle", "node_modules", "dist/pages", "dist/sdk", "dist/recheck.cjs"])
    symlinkSync(join(repository, part), join(folder, part));
  const waiting = new Set(changes);
  const byFile = Map.groupBy(changes, ({ file }) => join(repository, file));
  const changer: Plugin = {
    name: "mutant",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const here = byFile.get(path);
        if (!here) return null;
        for (const change of here) waiting.delete(change);
        return { contents: here.reduce(changeSource, readFileSync(path, "utf8")), loader: "ts" };
      });
    },
  };
  await bundleProcesses({ outdir: dist, plugins: [changer] });
  if (waiting.size > 0)
    throw new Error(
      `The product does not use ${[...waiting].map(({ file }) => file).join(", ")}: this is not the mutant that was asked for`,
    );
  return join(dist, "cli.js");
}
