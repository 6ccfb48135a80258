import { type RunNumbers, runDurationBounds, startLatencyBounds } from "../../../domain/run-tally.ts";
import type { ServiceNumbers } from "../../../domain/service-numbers.ts";
import type { PulledMetrics } from "./prometheus.ts";

/** Runs and worker processes, as counted by the supervisor. `read` returns its last report. */
export function registerServiceMetrics(
  { counter, gauge, histogram }: PulledMetrics,
  read: () => ServiceNumbers | null,
): void {
  const byTarget = <T>(pick: (numbers: RunNumbers) => T) =>
    (read()?.runs ?? []).map(
      (numbers) => [{ kind: numbers.target.kind, target: numbers.target.slug }, pick(numbers)] as const,
    );
  const byKey = (label: string, pick: (numbers: ServiceNumbers) => Record<string, number>) => {
    const numbers = read();
    return numbers ? Object.entries(pick(numbers)).map(([key, value]) => [{ [label]: key }, value] as const) : [];
  };
  const labels = ["kind", "target"];
  counter({
    name: "signalbox_runs_started_total",
    help: "Runs whose code started for the first time, by target.",
    labels,
    read: () => byTarget(({ started }) => started),
  });
  counter({
    name: "signalbox_runs_finished_total",
    help: "Ended runs, by target and status.",
    labels: [...labels, "status"],
    read: () =>
      (read()?.runs ?? []).flatMap(({ target, finished }) =>
        Object.entries(finished).map(
          ([status, count]) => [{ kind: target.kind, target: target.slug, status }, count] as const,
        ),
      ),
  });
  counter({
    name: "signalbox_run_retries_total",
    help: "Failed attempts that are retried, by target.",
    labels,
    read: () => byTarget(({ retried }) => retried),
  });
  histogram({
    name: "signalbox_run_duration_seconds",
    help: "Execution time of the code of a run without interruption, by target.",
    labels,
    bounds: runDurationBounds,
    read: () => byTarget(({ durations }) => durations),
  });
  histogram({
    name: "signalbox_run_start_latency_seconds",
    help: "Time from recording a run until its code starts, by target.",
    labels,
    bounds: startLatencyBounds,
    read: () => byTarget(({ startLatencies }) => startLatencies),
  });
  gauge({
    name: "signalbox_workers",
    help: "Worker processes that accept runs, by pool.",
    labels: ["pool"],
    read: () => byKey("pool", ({ workers }) => workers.ready),
  });
  gauge({
    name: "signalbox_worker_resident_memory_bytes",
    help: "Total memory of the worker processes of a pool.",
    labels: ["pool"],
    read: () => byKey("pool", ({ workers }) => workers.rssBytes),
  });
  counter({
    name: "signalbox_worker_exits_total",
    help: "Worker processes that ended, by reason.",
    labels: ["reason"],
    read: () => byKey("reason", ({ workers }) => workers.ended),
  });
  counter({
    name: "signalbox_web_restarts_total",
    help: "Restarts of the web process.",
    read: () => {
      const numbers = read();
      return numbers ? [[{}, numbers.webRestarts] as const] : [];
    },
  });
}
