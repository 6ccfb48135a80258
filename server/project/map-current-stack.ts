import { dirname, join } from "node:path";
import { createStackMapper } from "./map-stack.ts";
import { readManifest } from "./read-manifest.ts";

/** Maps a stack of the active build to the project's files and lines, for a process that has not loaded the code. */
export async function mapCurrentStack(stateDir: string, stack: string): Promise<string> {
  const manifest = await readManifest(stateDir);
  return manifest
    ? createStackMapper({ buildDir: join(stateDir, manifest.folder), projectDir: dirname(stateDir) }).mapStack(stack)
    : stack;
}
