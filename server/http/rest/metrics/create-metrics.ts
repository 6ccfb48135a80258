import { Registry, collectDefaultMetrics } from "prom-client";
import type { ErrorCode } from "../../../contract/error-codes.ts";
import type { ServiceNumbers } from "../../../domain/service-numbers.ts";
import type { ClosedConnection } from "../../connections.ts";
import type { ReceivedDelivery } from "../../../ingest/summarize-delivery.ts";
import type { RunStore, Store } from "../../../ports/store.ts";
import type { StoreNumbers } from "../../../ports/store-numbers.ts";
import { createDeliveryMetrics } from "./delivery-metrics.ts";
import { createPulledMetrics } from "./prometheus.ts";
import { readSeldom } from "./read-seldom.ts";
import { registerServiceMetrics } from "./service-metrics.ts";
import { registerStoreMetrics } from "./store-metrics.ts";

/** Numbers for Prometheus, in a registry of their own. docs/metrics.md lists them. */
export interface Metrics {
  /** To be called once for each delivery that was recorded, with the time that took from its arrival. */
  observeDelivery(delivery: ReceivedDelivery, tookMs: number): void;
  /** Counts a rejected webhook, recorded or not. */
  observeRefusal(code: ErrorCode): void;
  /** A request without a valid key was turned away. */
  observeUnauthenticated(door: "webhook" | "api"): void;
  /** Counts an authenticated, rejected webhook without a recorded delivery. */
  observeUnrecorded(code: ErrorCode): void;
  /** A connection was closed because a limit is reached. */
  observeClosedConnection(closed: ClosedConnection): void;
  /** The text format of Prometheus, version 0.0.4. */
  render(): Promise<{ contentType: string; text: string }>;
}

export interface MetricsSources {
  store: Pick<RunStore, "countOpenRuns"> & Pick<Store, "numbers">;
  /** Whether the project has this endpoint: others are counted as one. */
  isDeclared: (endpoint: string) => boolean;
  /** What the supervisor counts; `null` where there is none. */
  serviceNumbers?: (() => Promise<ServiceNumbers | null>) | undefined;
}

export function createMetrics({
  store,
  isDeclared,
  serviceNumbers = () => Promise.resolve(null),
}: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createPulledMetrics(registry);
  const deliveries = createDeliveryMetrics(metrics, { isDeclared });
  const countOpenRuns = readSeldom(() => store.countOpenRuns());
  let openRuns: Awaited<ReturnType<typeof countOpenRuns>> = null;
  let inStore: StoreNumbers | null = null;
  let inService: ServiceNumbers | null = null;
  metrics.gauge({
    name: "signalbox_open_runs",
    help: "Runs that have not ended, by status.",
    labels: ["status"],
    read: () => Object.entries(openRuns ?? {}).map(([status, count]) => [{ status }, count] as const),
  });
  const closedConnections = new Map<string, { closed: ClosedConnection; count: number }>();
  metrics.counter({
    name: "signalbox_closed_connections_total",
    help: "Connections closed because of a limit, by limit and by which connection was closed.",
    labels: ["limit", "connection"],
    read: () => Array.from(closedConnections.values(), ({ closed, count }) => [{ ...closed }, count] as const),
  });
  registerStoreMetrics(metrics, () => inStore);
  registerServiceMetrics(metrics, () => inService);
  return {
    ...deliveries,
    observeClosedConnection(closed) {
      const key = `${closed.limit} ${closed.connection}`;
      closedConnections.set(key, { closed, count: (closedConnections.get(key)?.count ?? 0) + 1 });
    },
    async render() {
      // A store that does not respond must not block the other metrics.
      [openRuns, inStore, inService] = await Promise.all([
        countOpenRuns(),
        store.numbers().catch(() => null),
        serviceNumbers(),
      ]);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
