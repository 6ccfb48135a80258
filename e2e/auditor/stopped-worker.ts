import { audit, type AuditOptions, type Verdict } from "./audit.ts";
import { shortLeases } from "./lateness.ts";
import { isRunning } from "./processes.ts";

const endedWithinMs = 60_000;

/** One server with two workers; one of them is stopped in the middle of a step, and nobody wakes it. `hasEnded`: the service has ended it. */
export async function auditStop(p: Pick<AuditOptions, "seed" | "tell">): Promise<Verdict & { hasEnded: boolean }> {
  let hasEnded = false;
  const verdict = await audit({
    ...p,
    changes: shortLeases,
    paceMs: 400,
    plan: [{ kind: "stop", moment: "step_begun", afterMs: 1_500 }],
    async atRest(kills) {
      const pids = kills.flatMap(({ pid }) => pid ?? []);
      for (const giveUpAt = performance.now() + endedWithinMs; pids.some(isRunning) && performance.now() < giveUpAt; ) await new Promise((resolve) => setTimeout(resolve, 100));
      hasEnded = pids.length > 0 && !pids.some(isRunning);
    },
  });
  return { ...verdict, hasEnded };
}
