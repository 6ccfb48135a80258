import { statfs } from "node:fs/promises";

/** The disk of a folder, in bytes. */
export interface Disk {
  freeBytes: number;
  totalBytes: number;
}

/** `freeBytes`: what this user may still write. */
export async function readDisk(folder: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
