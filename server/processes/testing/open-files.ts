import { readdirSync, readlinkSync } from "node:fs";

/** The paths of the files that a process has open. */
export function openFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      // It was closed meanwhile.
      return "";
    }
  });
}
