import { closeSync, openSync, readSync } from "node:fs";
import { AppError } from "../../../contract/app-error.ts";

const headerBytes = 32;
/** https://www.sqlite.org/fileformat2.html#the_write_ahead_log: the last bit is the byte order of the checksums. */
const magic = 0x377f0682;

/**
 * Throws AppError `store_unusable` if the header of the write-ahead log is invalid. SQLite treats such a log as empty
 * and overwrites it, so the last commits would be lost silently. (A crash before the first commit to a log leaves
 * zeros.)
 */
export function rejectDamagedLog(file: string): void {
  const header = readHeader(`${file}-wal`);
  if (header === null || header.length < headerBytes || header.every((byte) => byte === 0) || isValidHeader(header))
    return;
  throw new AppError(
    "store_unusable",
    `${file}-wal, the write-ahead log of the store, is damaged: its header is invalid, and it may contain the last commits.`,
    {
      fix: `Keep a copy of both files. Then restore a backup, or remove ${file}-wal to continue without its content.`,
    },
  );
}

function isValidHeader(header: Buffer): boolean {
  const word = header.readUInt32BE(0);
  if (word !== magic && word !== magic + 1) return false;
  const read = (at: number) => (word === magic ? header.readUInt32LE(at) : header.readUInt32BE(at));
  let [first, second] = [0, 0];
  for (let at = 0; at < 24; at += 8) {
    first = (first + read(at) + second) >>> 0;
    second = (second + read(at + 4) + first) >>> 0;
  }
  return first === header.readUInt32BE(24) && second === header.readUInt32BE(28);
}

/**
 * Returns `null` if there is no log or it is unreadable; SQLite then reports that. This file can be closed again,
 * because SQLite's locks are on the other files.
 */
function readHeader(path: string): Buffer | null {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    const header = Buffer.alloc(headerBytes);
    return header.subarray(0, readSync(fd, header, 0, headerBytes, 0));
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
