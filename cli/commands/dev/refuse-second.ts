import { findRunningServer } from "../../api/running-server.ts";
import { Failure } from "../../terminal/failure.ts";

const answerWithinMs = 3_000;

/**
 * Rejects a second service of a project: two would overwrite each other's builds. Entries of killed services, and of
 * processes that reuse their process id, are ignored.
 */
export async function requireSingleService(projectDir: string): Promise<void> {
  const running = findRunningServer(projectDir);
  if (!running || running.pid === process.pid || !(await answers(running.localUrl ?? running.url))) return;
  const command = running.mode === "development" ? "dev" : "start";
  throw new Failure(
    `\`signalbox ${command}\` already serves this project on ${running.url} (process ${running.pid}).`,
    {
      code: "already_running",
      fix: `Use that service: \`dev\` rebuilds on every change. Or stop it first: kill ${running.pid}`,
      extra: { pid: running.pid, url: running.url },
    },
  );
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(new URL("/healthz", url), { signal: AbortSignal.timeout(answerWithinMs), redirect: "error" }))
      .ok;
  } catch {
    return false;
  }
}
