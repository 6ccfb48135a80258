import { readFile } from "node:fs/promises";

const pageBytes = 4096;

/** Resident memory of a process from outside it, for when it cannot tell itself; `null` where the system has no /proc. */
export async function readRss(pid: number): Promise<number | null> {
  const statm = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => null);
  const pages = Number(statm?.split(" ")[1]);
  return Number.isFinite(pages) && pages > 0 ? pages * pageBytes : null;
}
