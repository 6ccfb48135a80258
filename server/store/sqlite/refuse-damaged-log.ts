import { closeSync, openSync, readSync } from "node:fs";
import { AppError } from "../../contract/app-error.ts";

const headBytes = 32;
/**
 * https://www.sqlite.org/fileformat2.html#the_write_ahead_log: the last bit says in which order of bytes checksums are
 * counted.
 */
const magic = 0x377f0682;

/**
 * SQLite takes a write-ahead log whose head does not hold for an empty one, and writes over it: what was committed last
 * would be gone without a word. Throws AppError `store_unusable` instead. (A log of zeros is what a crash leaves of one
 * that nothing was committed to.)
 */
export function refuseDamagedLog(file: string): void {
  const head = readHead(`${file}-wal`);
  if (head === null || head.length < headBytes || head.every((byte) => byte === 0) || isHead(head)) return;
  throw new AppError(
    "store_unusable",
    `${file}-wal, the write-ahead log of the store, is damaged: its header is invalid, and it may contain the last commits. Keep a copy of both files. Then restore a backup, or remove ${file}-wal to continue without its content.`,
  );
}

function isHead(head: Buffer): boolean {
  const word = head.readUInt32BE(0);
  if (word !== magic && word !== magic + 1) return false;
  const read = (at: number) => (word === magic ? head.readUInt32LE(at) : head.readUInt32BE(at));
  let [first, second] = [0, 0];
  for (let at = 0; at < 24; at += 8) {
    first = (first + read(at) + second) >>> 0;
    second = (second + read(at + 4) + first) >>> 0;
  }
  return first === head.readUInt32BE(24) && second === head.readUInt32BE(28);
}

/**
 * `null`: there is none, or nothing that can be read; then SQLite says so. Its locks lie on the other files: this one
 * may be closed again.
 */
function readHead(path: string): Buffer | null {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, readSync(fd, head, 0, headBytes, 0));
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
