import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { OnCleanup } from "../../scripts/cleanups.ts";

export const repository = join(import.meta.dirname, "../..");
/** The command line as users get it. */
export const cliFile = join(repository, "dist/cli.js");

/** A fresh copy of the example project in a folder of its own, removed when the test ends. */
export function copyStarter(onCleanup: OnCleanup = onTestFinished): string {
  const dir = emptyFolder(onCleanup);
  cpSync(join(repository, "examples/starter"), dir, {
    recursive: true,
    filter: (path) =>
      !/\/(\.signalbox|outbox|node_modules)(\/|$)/.test(path.slice(join(repository, "examples/starter").length)),
  });
  renameSync(join(dir, "gitignore"), join(dir, ".gitignore"));
  linkPackages(dir);
  return dir;
}

/** A project made of the given files. */
export function writeProject(files: Record<string, string>, onCleanup: OnCleanup = onTestFinished): string {
  const dir = emptyFolder(onCleanup);
  writeFiles(dir, { "package.json": `{"name":"e2e","private":true,"type":"module"}`, ...files });
  linkPackages(dir);
  return dir;
}

/** Writes files into a project. */
export function writeFiles(dir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

/** An empty folder, removed when the test ends. */
function emptyFolder(onCleanup: OnCleanup): string {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-e2e-"));
  onCleanup(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

function linkPackages(dir: string): void {
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(join(repository, "node_modules/zod"), join(dir, "node_modules/zod"));
  symlinkSync(join(repository, "node_modules/@ai-sdk"), join(dir, "node_modules/@ai-sdk"));
}
