import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** What `dev` and `start` leave in `.signalbox/server.json` while they run, so that other commands find them. */
const runningServerSchema = z.object({
  pid: z.int().positive(),
  /** Where the world reaches it. */
  url: z.url(),
  /** Where this machine reaches it: the base URL may be that of a proxy or a tunnel. */
  localUrl: z.url().optional(),
  mode: z.enum(["development", "deployed"]),
  startedAt: z.iso.datetime(),
});

export type RunningServer = z.infer<typeof runningServerSchema>;

/** Services that were started before the newest one and may still run; commands use them when it has ended. */
const serverFileSchema = runningServerSchema.extend({ earlier: z.array(runningServerSchema).default([]) });

/**
 * The newest service that runs for a project on this machine, or `null`. Entries that a killed one left behind are
 * ignored.
 */
export function findRunningServer(projectDir: string): RunningServer | null {
  return readRunning(serverFile(projectDir))[0] ?? null;
}

/**
 * Records where this process serves the project. Returns a function that removes the entry; those of other processes
 * stay.
 */
export function announceServer(projectDir: string, server: RunningServer): () => void {
  const file = serverFile(projectDir);
  const others = () => readRunning(file).filter(({ pid }) => pid !== server.pid);
  mkdirSync(join(projectDir, ".signalbox"), { recursive: true });
  write(file, [server, ...others()]);
  return () => write(file, others());
}

function write(file: string, [newest, ...earlier]: readonly RunningServer[]): void {
  if (!newest) return rmSync(file, { force: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ ...newest, ...(earlier.length > 0 && { earlier }) }, null, 2)}\n`);
  // A reader sees the old file or the new one, never half of it.
  renameSync(draft, file);
}

function serverFile(projectDir: string): string {
  return join(projectDir, ".signalbox", "server.json");
}

/** The newest first. */
function readRunning(file: string): RunningServer[] {
  try {
    const { earlier, ...newest } = serverFileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    return [newest, ...earlier].filter(({ pid }) => isAlive(pid));
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not ours to signal, but there.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
