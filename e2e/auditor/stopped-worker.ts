import { audit, type AuditOptions, type Verdict } from "./audit.ts";
import { shortLeases } from "./lateness.ts";
import { isRunning, isStopped } from "./processes.ts";
import { signalAtCall } from "./strace.ts";

const soonMs = 60_000;

/**
 * One server with two workers; one of them is stopped in the middle of a step, and nobody wakes it. `hasEnded`: the
 * service has ended it.
 */
export async function auditStop(
  p: Pick<AuditOptions, "seed" | "tell" | "stop">,
): Promise<Verdict & { hasEnded: boolean }> {
  let hasEnded = false;
  const verdict = await audit({
    ...p,
    changes: shortLeases,
    clients: 8,
    paceMs: 400,
    plan: [{ kind: "stop", moment: "step_begun", afterMs: 1_500 }],
    async atRest(kills) {
      const pids = kills.flatMap(({ pid }) => pid ?? []);
      await soon(() => !pids.some(isRunning));
      hasEnded = pids.length > 0 && !pids.some(isRunning);
    },
  });
  return { ...verdict, hasEnded };
}

/**
 * The same, at the one moment when it holds up everybody: between its writing and its commit it has the store's lock.
 * `wasStopped`: it was then.
 */
export async function auditStopWithLock(
  p: Pick<AuditOptions, "seed" | "tell">,
): Promise<Verdict & { hasEnded: boolean; wasStopped: boolean }> {
  let wasStopped = false;
  async function stopInCommit(pid: number): Promise<void> {
    const strace = await signalAtCall(pid, { n: 1, signal: "SIGSTOP", calls: "fsync,fdatasync" });
    let looks = 0;
    // Every call that is traced stops it for an instant.
    await soon(() => (looks = isStopped(pid) ? looks + 1 : 0) >= 10 || !isRunning(pid));
    wasStopped = isStopped(pid);
    // It stays attached: letting go would wake the process.
    await soon(() => !isRunning(pid));
    await strace.detach();
  }
  let stopping: Promise<void> | null = null;
  const verdict = await auditStop({ ...p, stop: (pid) => void (stopping = stopInCommit(pid)) });
  await stopping;
  return { ...verdict, wasStopped };
}

async function soon(isSo: () => boolean): Promise<void> {
  for (const giveUpAt = performance.now() + soonMs; !isSo() && performance.now() < giveUpAt;)
    await new Promise((resolve) => setTimeout(resolve, 20));
}
