import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../contract/app-error.ts";
import type { Logger } from "../ports/logger.ts";

/** Another process may be creating the file. */
const createdWithinMs = 1_000;

const pageBytes = 4_096;

const noteOf = (stateDir: string) => join(stateDir, "store");

/**
 * Rejects with AppError `store_unusable` if the store is gone. A new store would have no keys: senders would get 401,
 * and would not retry.
 */
export async function requireKnownStore(file: string, stateDir: string): Promise<void> {
  if (isEmpty(file)) await delay(createdWithinMs);
  const loss = findStoreLoss(file, stateDir);
  if (loss) throw new AppError("store_unusable", loss.message, { fix: loss.fix });
}

/**
 * Describes that the file of the store is empty, or that it is missing although a deployed service of this project has
 * used a store on this machine. Its volume may not be mounted. `null`: it exists, or the project is new.
 */
export function findStoreLoss(file: string, stateDir: string): { message: string; fix: string } | null {
  if (isEmpty(file))
    return {
      message: `The store ${file} is empty: it has no tables.`,
      fix: "Restore a backup. If you want a new store, remove the file first.",
    };
  const known = readNote(stateDir);
  if (known === null || !isMissing(file)) return null;
  return {
    message: `The store ${file} does not exist, but this project had one before${known === file ? "" : `: ${known}`}.`,
    fix: `Check that its volume is mounted and that SIGNALBOX_DATABASE_URL is right, or restore a backup. If you want a new store, remove ${noteOf(stateDir)} first.`,
  };
}

/** Notes that this project has a store now. */
export function rememberStore(file: string, { stateDir, logger }: { stateDir: string; logger: Logger }): void {
  try {
    if (readNote(stateDir) !== file) writeFileSync(noteOf(stateDir), `${file}\n`);
  } catch (error) {
    logger.debug("could not note the file of the store", { error });
  }
}

/** The file that a deployed service of this project had as its store. `null`: there was none on this machine. */
function readNote(stateDir: string): string | null {
  try {
    return readFileSync(noteOf(stateDir), "utf8").trim();
  } catch {
    return null;
  }
}

/** A store has more than the first page, or a log: that of a young store has everything. */
function isEmpty(file: string): boolean {
  try {
    const [store, log] = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false }));
    return store?.isFile() === true && store.size <= pageBytes && !log?.size;
  } catch {
    // SQLite reports a path that cannot be used.
    return false;
  }
}

function isMissing(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
