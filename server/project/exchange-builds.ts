import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { draftPrefix } from "./kept-builds.ts";

/**
 * Copies the build of this machine to a folder that outlives it, and the builds of other machines from there: open runs
 * continue on them. Safe to run concurrently on several machines.
 */
export async function exchangeBuilds(p: { stateDir: string; buildsDir: string; version: string }): Promise<void> {
  const own = join(p.stateDir, "builds");
  await mkdir(p.buildsDir, { recursive: true });
  await copyBuild(p.version, { from: own, to: p.buildsDir });
  for (const version of await readdir(p.buildsDir))
    if (!version.startsWith(".")) await copyBuild(version, { from: p.buildsDir, to: own });
}

async function copyBuild(version: string, { from, to }: { from: string; to: string }): Promise<void> {
  const isComplete = (folder: string) => existsSync(join(folder, version, "manifest.json"));
  if (isComplete(to) || !isComplete(from)) return;
  const draft = join(to, `${draftPrefix}${process.pid}-${randomBytes(4).toString("hex")}`);
  try {
    await cp(join(from, version), draft, { recursive: true, preserveTimestamps: true });
    await rename(draft, join(to, version));
  } catch (error) {
    // Another machine copied it first, or removed it.
    if (!isComplete(to) && isComplete(from)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
