import { mkdirSync, readdirSync, realpathSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestProject } from "vitest/node";

const memory = "/dev/shm";
const minFreeBytes = 2 * 1024 ** 3;
const prefix = "signalbox-unit-";

/**
 * The folder of one test run's temporary files: in memory where there is enough of it, since a disk takes most of the
 * time of a small database.
 */
export function temporaryFolder(): string {
  return join(realpathSync(hasMemory() ? memory : tmpdir()), `${prefix}${process.pid}`);
}

/** Vitest's global setup of a project whose `TMPDIR` is such a folder. */
export function setup({ config }: TestProject): () => void {
  const folder = config.env["TMPDIR"];
  if (folder === undefined) throw new Error("The project sets no TMPDIR");
  removeAbandoned(dirname(folder));
  // Postgres runs as its own user where tests run as root.
  mkdirSync(folder, { mode: 0o711 });
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A run that was killed leaves its folder. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : 0;
    if (pid > 0 && !isAlive(pid)) rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return process.platform === "linux" && bavail * bsize > minFreeBytes;
  } catch {
    return false;
  }
}
