import { targetName } from "../../contract/project/target.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ClaimedRun } from "../../ports/store/engine-store.ts";
import type { ClaimGroup } from "./hosted-workers.ts";

/** Runs that continue on another build, because no machine has the one that accepted them. */
export interface LeftBuild {
  acceptedBy: string;
  version: string;
  /** Those that were not reported before. */
  runs: number;
}

interface LeftBuilds {
  note(claimed: readonly ClaimedRun[], group: Pick<ClaimGroup, "keptVersions" | "latestTargets">): void;
  /** Logs what was not logged yet. */
  close(): void;
}

/** Many runs leave a build together, e.g. after a deployment that lost it: they are one report. */
const reportAfterMs = 1_000;
/** A run that left its build is claimed again after each sleep and each attempt. Of the last runs, each counts once. */
const maxKnown = 10_000;

/** Logs and reports the runs that leave the builds that accepted them. Targets with `versions: "latest"` do on purpose. */
export function createLeftBuilds(p: { logger: Logger; onLeft: (left: LeftBuild) => void }): LeftBuilds {
  const known = new Set<string>();
  const unreported = new Map<string, LeftBuild>();
  const totals = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;

  function add(id: string, { acceptedBy, version }: NonNullable<ClaimedRun["build"]>): void {
    if (known.has(id)) return;
    if (known.size >= maxKnown) known.clear();
    known.add(id);
    const name = `${acceptedBy} ${version}`;
    const { runs } = unreported.get(name) ?? { runs: 0 };
    unreported.set(name, { acceptedBy, version, runs: runs + 1 });
    timer ??= setTimeout(report, reportAfterMs).unref();
  }

  /** Returns what was not reported yet. */
  function log(): LeftBuild[] {
    if (timer) clearTimeout(timer);
    timer = null;
    const reports = [...unreported.values()];
    unreported.clear();
    for (const { acceptedBy, version, runs } of reports) {
      const name = `${acceptedBy} ${version}`;
      const total = (totals.get(name) ?? 0) + runs;
      totals.set(name, total);
      p.logger.warn("runs continue on another build: no machine has the one that accepted them", {
        acceptedBy,
        version,
        runs: total,
      });
    }
    return reports;
  }

  function report(): void {
    for (const left of log()) p.onLeft(left);
  }

  return {
    note(claimed, { keptVersions, latestTargets }) {
      for (const { id, build, target } of claimed)
        if (build && build.version !== build.acceptedBy)
          if (!keptVersions.has(build.acceptedBy) && !latestTargets.has(targetName(target))) add(id, build);
    },
    close: () => void log(),
  };
}
