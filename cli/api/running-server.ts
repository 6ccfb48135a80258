import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** What `dev` and `start` leave in `.signalbox/server.json` while they run, so that other commands find them. */
const runningServerSchema = z.object({
  pid: z.int().positive(),
  url: z.url(),
  mode: z.enum(["development", "deployed"]),
  startedAt: z.iso.datetime(),
});

export type RunningServer = z.infer<typeof runningServerSchema>;

/** The service that runs for a project on this machine, or `null`. What a killed one left behind is ignored. */
export function findRunningServer(projectDir: string): RunningServer | null {
  const server = readServerFile(serverFile(projectDir));
  return server && isAlive(server.pid) ? server : null;
}

/** Says where this process serves the project. Returns the way to take it back, which leaves the word of another process alone. */
export function announceServer(projectDir: string, server: RunningServer): () => void {
  const file = serverFile(projectDir);
  const draft = `${file}.${server.pid}`;
  mkdirSync(join(projectDir, ".signalbox"), { recursive: true });
  writeFileSync(draft, `${JSON.stringify(server, null, 2)}\n`);
  // A reader sees the old file or the new one, never half of it.
  renameSync(draft, file);
  return () => {
    if (readServerFile(file)?.pid === server.pid) rmSync(file, { force: true });
  };
}

function serverFile(projectDir: string): string {
  return join(projectDir, ".signalbox", "server.json");
}

function readServerFile(file: string): RunningServer | null {
  try {
    return runningServerSchema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data ?? null;
  } catch {
    return null;
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
