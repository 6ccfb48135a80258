import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder for a store that can become full. */
export interface SmallDisk {
  dir: string;
  /** Leaves so little space that a few webhooks fill it. `pids`: the processes that write there. */
  takeRoom(pids: readonly number[]): void;
  giveRoom(pids: readonly number[]): void;
}

const sizeMb = 24;
const roomBytes = 512 * 1024;

/**
 * A small file system of its own (tmpfs), where this machine lets us mount one. Elsewhere, e.g. in a container without
 * that right, the processes are forbidden to let any file grow (RLIMIT_FSIZE): real writes fail then as well, with
 * EFBIG for ENOSPC.
 */
export function makeSmallDisk(): SmallDisk {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-disk-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  const isMounted =
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMb}m`, "signalbox-test", dir], { stdio: "ignore" }).status ===
    0;
  if (!isMounted)
    return {
      dir,
      takeRoom: (pids) => limitFiles(pids, String(roomBytes)),
      giveRoom: (pids) => limitFiles(pids, "unlimited"),
    };
  onTestFinished(() => void spawnSync("umount", ["--lazy", dir], { stdio: "ignore" }));
  const ballast = join(dir, "ballast");
  return { dir, takeRoom: () => fillWith(ballast), giveRoom: () => rmSync(ballast, { force: true }) };
}

/** Limits the files of these processes to this size: larger writes fail, as on a full disk. */
export function limitFiles(pids: readonly number[], limit: string): void {
  for (const pid of pids) {
    const { status, stderr } = spawnSync("prlimit", ["--pid", String(pid), `--fsize=${limit}:unlimited`], {
      encoding: "utf8",
    });
    if (status !== 0)
      throw new Error(
        `Neither may a file system be mounted here nor a limit set, and one is needed to fill a disk: ${stderr}`,
      );
  }
}

function fillWith(ballast: string): void {
  const chunk = Buffer.alloc(64 * 1024);
  const fd = openSync(ballast, "w");
  try {
    for (;;) writeSync(fd, chunk);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    closeSync(fd);
  }
}
