import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

/**
 * A file beside the database while it is open: if the service is killed, it stays, and so does the write-ahead log. A
 * mark without a log shows that the log was removed. SQLite itself does not notice that.
 */
const markOf = (file: string) => `${file}-open`;

export const lostLogMessage =
  "the write-ahead log of the store was removed after the service had been killed; its last writes are lost, unless another program had moved them into the store";

/**
 * Since when the write-ahead log of an unfinished use has been missing, in ISO 8601; `null`: it is not. Another program
 * may have opened the file since, and moved the log into it: then nothing is lost.
 */
export function findLostLog(file: string, now: number): string | null {
  const mark = readMark(file);
  if (mark === null || mark.identity !== identityOf(file)) return null;
  return mark.lostSince ?? (existsSync(`${file}-wal`) ? null : new Date(now).toISOString());
}

/** Call it when the file was opened. */
export function markOpen(file: string, lostSince: string | null): void {
  const mark = readMark(file);
  const identity = identityOf(file);
  if (!existsSync(`${file}-wal`) || (mark?.identity === identity && mark.lostSince === lostSince)) return;
  try {
    writeFileSync(markOf(file), JSON.stringify({ identity, lostSince }), { mode: 0o600 });
  } catch {
    // The disk may be full. Without a mark, a removed log is not noticed.
  }
}

/** Call it when the file was closed. The last connection that closes it moves the log into the file. */
export function markClosed(file: string): void {
  try {
    if (!existsSync(`${file}-wal`)) rmSync(markOf(file), { force: true });
  } catch {
    // The folder may be read-only by now.
  }
}

function readMark(file: string): { identity: string; lostSince: string | null } | null {
  try {
    // Only this file writes it.
    return JSON.parse(readFileSync(markOf(file), "utf8")) as ReturnType<typeof readMark>;
  } catch {
    return null;
  }
}

/** A restored backup is another file. */
function identityOf(file: string): string | null {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino}` : null;
}
