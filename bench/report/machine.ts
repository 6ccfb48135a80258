import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { cpus, release, tmpdir, totalmem, type } from "node:os";
import Database from "better-sqlite3";
import { packageRoot } from "../../server/paths.ts";

/** The machine and the versions that were measured: a name and a text each. `load` is that of the previous minute. */
export function describeMachine(product: string): [name: string, text: string][] {
  const memory = new Database(":memory:");
  const sqlite = String(memory.prepare("SELECT sqlite_version()").pluck().get());
  memory.close();
  const load = createRequire(import.meta.url);
  const { version } = load("better-sqlite3/package.json") as { version: string };
  return [
    ["measured", new Date().toISOString().slice(0, 16).replace("T", " ") + " UTC"],
    ["processor", `${cpus()[0]?.model.trim()}, ${cpus().length} cores`],
    ["memory", `${(totalmem() / 2 ** 30).toFixed(1)} GiB`],
    ["kernel", `${type()} ${release()}`],
    ["file system", fileSystemOf(tmpdir())],
    ["signalbox", product],
    ["node", `${process.version}, V8 ${process.versions.v8}`],
    ["sqlite", `${sqlite} by better-sqlite3 ${version}`],
  ];
}

export function idOfCommit(name: string): string {
  return git("rev-parse", "--short=12", name);
}

export function hasUncommitted(): boolean {
  return git("status", "--porcelain", "--untracked-files=no") !== "";
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: packageRoot, encoding: "utf8" }).trim();
}

/** The type of the file system that a folder is on, if `df` reports it. */
function fileSystemOf(folder: string): string {
  try {
    const [, fields] = execFileSync("df", ["-PT", folder], { encoding: "utf8" }).split("\n");
    const [device, kind] = fields?.split(/\s+/) ?? [];
    return `${kind} on ${device}`;
  } catch {
    return "unknown";
  }
}
