import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { ErrorCode } from "../../contract/error-codes.ts";
import { ownVerdicts } from "../../domain/verdict-list.ts";
import type { ReceivedDelivery } from "../../ingest/summarize-delivery.ts";
import type { RunStore } from "../../ports/store.ts";

/** Numbers for Prometheus, in a registry of their own. */
export interface Metrics {
  /** To be called once for each delivery that was answered. */
  observeDelivery(delivery: ReceivedDelivery): void;
  /** A request without a valid key was turned away. */
  observeUnauthenticated(door: "webhook" | "api"): void;
  /** An authenticated webhook was refused, and there is no delivery to tell of it. */
  observeUnrecorded(code: ErrorCode): void;
  /** The text format of Prometheus, version 0.0.4. */
  render(): Promise<{ contentType: string; text: string }>;
}

export function createMetrics(store: Pick<RunStore, "countOpenRuns">): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const deliveries = new Counter({
    name: "signalbox_deliveries_total",
    help: "Deliveries by outcome and status of the answer.",
    labelNames: ["outcome", "status"],
    registers: [registry],
  });
  const runs = new Counter({
    name: "signalbox_delivered_runs_total",
    help: "Runs that deliveries started, by trigger.",
    labelNames: ["trigger"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "signalbox_delivery_duration_seconds",
    help: "Time from the arrival of a delivery to its answer.",
    labelNames: ["outcome"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  const unauthenticated = new Counter({
    name: "signalbox_unauthenticated_total",
    help: "Requests without a valid key, by door.",
    labelNames: ["door"],
    registers: [registry],
  });
  const unrecorded = new Counter({
    name: "signalbox_unrecorded_total",
    help: "Authenticated webhooks that were refused and not recorded as deliveries, by the code of the problem. Those that were recorded are in signalbox_deliveries_total.",
    labelNames: ["code"],
    registers: [registry],
  });
  registry.registerMetric(openRuns(store));
  return {
    observeDelivery(delivery) {
      deliveries.inc({ outcome: delivery.outcome, status: String(delivery.responseStatus) });
      duration.observe({ outcome: delivery.outcome }, delivery.durationMs / 1000);
      if (delivery.outcome !== "accepted") return;
      for (const { trigger, outcome } of ownVerdicts(delivery.verdicts)) if (outcome === "matched") runs.inc({ trigger });
    },
    observeUnauthenticated: (door) => unauthenticated.inc({ door }),
    observeUnrecorded: (code) => unrecorded.inc({ code }),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** Asked of the store whenever somebody scrapes, so that it is right also for what other processes did. */
function openRuns(store: Pick<RunStore, "countOpenRuns">): Gauge {
  return new Gauge({
    name: "signalbox_open_runs",
    help: "Runs that have not ended, by status.",
    labelNames: ["status"],
    registers: [],
    async collect() {
      for (const [status, count] of Object.entries(await store.countOpenRuns())) this.set({ status }, count);
    },
  });
}
