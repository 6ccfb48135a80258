import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SettingsError } from "../../server/config/environment.ts";
import { Failure } from "../terminal/failure.ts";

/** The signal by which a command reports to the service of this machine that another build is current. */
export const buildChangedSignal = "SIGUSR2";

/** The record of `dev` and `start` in `.signalbox/server.json` while they run, for other commands. */
const runningServerSchema = z.object({
  pid: z.int().positive(),
  /** The public URL. */
  url: z.url(),
  /** The URL on this machine, because the public URL may be that of a proxy or a tunnel. */
  localUrl: z.url().optional(),
  mode: z.enum(["development", "deployed"]),
  startedAt: z.iso.datetime(),
});

export type RunningServer = z.infer<typeof runningServerSchema>;

/** Services that started earlier and may still run. Commands use them after the newest one has ended. */
const serverFileSchema = runningServerSchema.extend({ earlier: z.array(runningServerSchema).default([]) });

/** The newest service that runs for a project on this machine, or `null`. Entries of killed services are ignored. */
export function findRunningServer(projectDir: string): RunningServer | null {
  return readRunning(serverFile(projectDir))[0] ?? null;
}

/** Records the URL of this process. Returns a function that removes the entry and keeps those of other processes. */
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
  // Atomic: a reader sees the old file or the new one.
  renameSync(draft, file);
}

function serverFile(projectDir: string): string {
  return join(projectDir, ".signalbox", "server.json");
}

/** Newest first. */
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
    // The process exists, but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The URL of the running service: SIGNALBOX_URL, or the service of the project on this machine. */
export function findServiceUrl(projectDir: string): string {
  const running = findRunningServer(projectDir);
  const url = readClientSettings()?.url ?? running?.localUrl ?? running?.url;
  if (url) return url;
  throw new Failure(`No service runs for ${projectDir}.`, {
    code: "not_running",
    fix: "Start it with `signalbox dev` or `signalbox start`, or set SIGNALBOX_URL to its address.",
  });
}

/**
 * The service that the client commands call: SIGNALBOX_URL with SIGNALBOX_TOKEN; `null`: the project's own store.
 * Throws SettingsError.
 */
export function readClientSettings(env: NodeJS.ProcessEnv = process.env): { url: string; token: string | null } | null {
  const url = env["SIGNALBOX_URL"];
  if (!url) return null;
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new SettingsError(
      `SIGNALBOX_URL must start with http:// or https://, e.g. https://hooks.example.com (it is ${JSON.stringify(url)} in the environment).`,
    );
  }
  if (parsed.username || parsed.password)
    throw new SettingsError(
      "SIGNALBOX_URL must not contain a user name or a password. Set the API token in SIGNALBOX_TOKEN.",
    );
  return { url: `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, ""), token: env["SIGNALBOX_TOKEN"] || null };
}
