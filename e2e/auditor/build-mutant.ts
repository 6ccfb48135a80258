import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { type BuildContext, context, type OutputFile, type Plugin, type PluginBuild } from "esbuild";
import { processOptions } from "../../scripts/bundle.ts";
import { repository } from "../support/project.ts";
import { atExit } from "./at-exit.ts";
import { changeSource, type SourceChange } from "./changed-source.ts";

/** Names the files of a mutant: they are written elsewhere. */
const outdir = join(repository, "dist");
const built = new Map<string, Promise<string>>();

/**
 * Builds the product with these changes, once, in a folder of its own that is removed when this process ends. Returns
 * its command line. Throws if a change is not part of the build.
 */
export function buildMutant(changes: readonly SourceChange[]): Promise<string> {
  const key = JSON.stringify(changes);
  const known = built.get(key) ?? build(changes);
  built.set(key, known);
  return known;
}

/**
 * Builds one mutant after the other. They share a build context, which parses only the files that differ from those of
 * the last mutant.
 */
let bundler: Promise<BuildContext> | null = null;
let bundled: Promise<unknown> = Promise.resolve();
let waitingMutants = 0;
/** The changes of the current mutant, and those that were not applied yet. */
let current: { changes: readonly SourceChange[]; waiting: Set<SourceChange> } = { changes: [], waiting: new Set() };

function bundle(changes: readonly SourceChange[]): Promise<OutputFile[]> {
  waitingMutants += 1;
  const bundling = bundled.then(async () => {
    bundler ??= openBundler();
    current = { changes, waiting: new Set(changes) };
    const { outputFiles = [] } = await (await bundler).rebuild();
    if (current.waiting.size > 0)
      throw new Error(
        `The product does not use ${[...current.waiting].map(({ file }) => file).join(", ")}: this is not the mutant that was asked for`,
      );
    return outputFiles;
  });
  bundled = bundling.catch(() => {}).finally(closeIfLast);
  return bundling;
}

/** An open context keeps this process alive. */
async function closeIfLast(): Promise<void> {
  waitingMutants -= 1;
  if (waitingMutants > 0) return;
  const last = await bundler;
  bundler = null;
  await last?.dispose();
}

function openBundler(): Promise<BuildContext> {
  const changer = {
    name: "mutant",
    setup({ onLoad }: PluginBuild) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const here = current.changes.filter(({ file }) => join(repository, file) === path);
        if (here.length === 0) return null;
        for (const change of here) current.waiting.delete(change);
        return { contents: here.reduce(changeSource, readFileSync(path, "utf8")), loader: "ts" };
      });
    },
  } satisfies Plugin;
  return context({ ...processOptions({ outdir, plugins: [changer] }), sourcemap: false, write: false });
}

async function build(changes: readonly SourceChange[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-mutant-"));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  const dist = join(folder, "dist");
  mkdirSync(dist);
  for (const part of ["package.json", "drizzle", "node_modules", "dist/pages", "dist/sdk", "dist/recheck.cjs"])
    symlinkSync(join(repository, part), join(folder, part));
  for (const { path, contents } of await bundle(changes)) {
    const file = join(dist, relative(outdir, path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
  }
  return join(dist, "cli.js");
}
