import { deliveryDurationBounds, type DeliveryNumbers } from "../../../domain/tallies.ts";
import type { PulledMetrics } from "./prometheus.ts";

type Counts = DeliveryNumbers["deliveries"];

/** Metrics of received webhooks. `read` returns the last counts. */
export function registerDeliveryMetrics({ counter, histogram }: PulledMetrics, read: () => DeliveryNumbers): void {
  counter({
    name: "signalbox_deliveries_total",
    help: "Recorded deliveries, by endpoint, outcome and status of the response.",
    labels: ["endpoint", "outcome", "status"],
    read: () => label(["endpoint", "outcome", "status"], read().deliveries),
  });
  counter({
    name: "signalbox_verdicts_total",
    help: "Verdicts of triggers on deliveries, by endpoint and outcome.",
    labels: ["endpoint", "outcome"],
    read: () => label(["endpoint", "outcome"], read().verdicts),
  });
  counter({
    name: "signalbox_delivered_runs_total",
    help: "Runs that deliveries started, by trigger.",
    labels: ["trigger"],
    read: () => label(["trigger"], read().runs),
  });
  counter({
    name: "signalbox_rejections_total",
    help: "Rejected webhooks, recorded or not, by error code.",
    labels: ["code"],
    read: () => label(["code"], read().rejections),
  });
  counter({
    name: "signalbox_unrecorded_total",
    help: "Webhooks that were rejected and not recorded as deliveries, by error code. Recorded ones are in signalbox_deliveries_total.",
    labels: ["code"],
    read: () => label(["code"], read().unrecorded),
  });
  histogram({
    name: "signalbox_delivery_duration_seconds",
    help: "Time from the arrival of a delivery until it is on disk and answered.",
    labels: ["outcome"],
    bounds: deliveryDurationBounds,
    read: () => read().durations.map(([outcome, durations]) => [{ outcome }, durations] as const),
  });
}

function label(names: readonly string[], counts: Counts) {
  return counts.map(
    ([labels, count]) => [Object.fromEntries(names.map((name, at) => [name, labels[at] ?? ""])), count] as const,
  );
}
