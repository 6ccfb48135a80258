import { randomBytes } from "node:crypto";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../contract/project/manifest.ts";

/** Makes a build current, atomically and durably: a reader sees the old manifest or the new one. */
export function writeCurrent(stateDir: string, manifest: Manifest): Promise<void> {
  return writeManifest(join(stateDir, "manifest.json"), manifest);
}

export async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  const draft = `${path}.${process.pid}-${randomBytes(4).toString("hex")}`;
  const file = await open(draft, "wx");
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
