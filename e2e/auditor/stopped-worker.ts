import { audit, type AuditOptions, type Verdict } from "./audit.ts";
import { shortLeases } from "./lateness.ts";
import { isRunning } from "./processes.ts";

const soonMs = 60_000;

/**
 * One server with two workers. One of them is stopped in the middle of a step, and never continued. `hasEnded`: the
 * service has ended it.
 */
export async function auditStop(p: Pick<AuditOptions, "seed" | "print">): Promise<Verdict & { hasEnded: boolean }> {
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

async function soon(isSo: () => boolean): Promise<void> {
  for (const giveUpAt = performance.now() + soonMs; !isSo() && performance.now() < giveUpAt;)
    await new Promise((resolve) => setTimeout(resolve, 20));
}
