import type { AlertDestinations } from "../config.ts";
import { type Finding, leftBuildFinding } from "../domain/alerts/findings.ts";
import { maxAlertMs, planAlerts } from "../domain/alerts/plan-alerts.ts";
import type { Clock } from "../ports/clock.ts";
import type { AlertStore } from "../ports/store/alert-store.ts";
import { listDestinations } from "./evaluate-alerts.ts";

const hourMs = 3_600_000;
const maxTries = 5;

/**
 * Opens the alert about runs that left their build, or adds them to it. They are noticed when they are claimed, by any
 * machine with workers: afterwards, no row shows that they were ever pinned to a build. The evaluation ends the alert.
 */
export async function recordLeftBuild(p: {
  store: Pick<AlertStore, "readAlertState" | "saveAlertPlan">;
  destinations: AlertDestinations;
  left: { acceptedBy: string; version: string; runs: number };
  clock: Clock;
}): Promise<void> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const now = p.clock.now();
    const state = await p.store.readAlertState({ endedSince: now - maxAlertMs, messagesSince: now - hourMs });
    const added = leftBuildFinding(p.left, now);
    const open = state.open.filter((alert) => isSame(alert, added));
    const before = open.reduce((sum, { count }) => sum + count, 0);
    const plan = planAlerts({
      findings: [{ ...added, count: before + added.count }],
      open,
      destinations: listDestinations(p.destinations),
      recentMessages: state.recentMessages,
      now,
    });
    // Another machine may have evaluated the alerts meanwhile.
    if (await p.store.saveAlertPlan({ plan, evaluatedAt: state.evaluatedAt, now })) return;
  }
}

const isSame = (one: Pick<Finding, "kind" | "subject">, other: Pick<Finding, "kind" | "subject">) =>
  one.kind === other.kind && one.subject === other.subject;
