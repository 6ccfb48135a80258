import { readFileSync } from "node:fs";

const pageBytes = 4096;

/**
 * Resident memory of a process from outside it, for when it cannot tell itself; `null` where the system has no /proc.
 * Read at once: the kernel answers from memory, and a promise would take several turns of an event loop that may be
 * held up in each.
 */
export function readRss(pid: number): number | null {
  const pages = Number(readStatm(pid)?.split(" ")[1]);
  return Number.isFinite(pages) && pages > 0 ? pages * pageBytes : null;
}

function readStatm(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/statm`, "utf8");
  } catch {
    return null;
  }
}
