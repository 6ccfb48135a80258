import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { once as onlyOnce } from "../../domain/event-loop.ts";
import { createReceiveFed } from "../../deliveries/receive-fed.ts";
import { createDeliveryTally } from "../../domain/tallies.ts";
import { backlog, trustProxies } from "../../http/connections.ts";
import { createForwarder } from "../../http/forward/forwarder.ts";
import { createHealthHandler } from "../../http/health.ts";
import { createHttpServer } from "../../http/http-server.ts";
import { createReadiness } from "../../http/readiness.ts";
import { createIngest } from "../../http/webhooks/webhook-handler.ts";
import type { ReceiverEvent } from "../../ingest/accept.ts";
import { systemClock } from "../../ports/clock.ts";
import type { ClosedConnection, ReceiverNumbers } from "../../ports/service-report.ts";
import { createProjectReader, requireSecrets } from "../../project/project-reader.ts";
import type { TakenDelivery } from "../protocol.ts";
import { serveHostLink, type TakeDelivery } from "./host-link.ts";
import {
  httpProcessWatch,
  type ListeningProcess,
  type ProcessContext,
  runHttpProcess,
} from "../http-processes/run-process.ts";
import { describeListenFailure } from "../listen-failure.ts";
import { openConfiguredStore } from "../../composition/open-configured-store.ts";
import { openRunHost } from "./open-run-host.ts";
import { watchEventLoop } from "../event-loop/watch-event-loop.ts";

/**
 * The receiver: the process with the public port. It receives webhooks and answers health checks, and forwards
 * everything else to the web process. It loads neither pages nor APIs, so no request to them delays a webhook. It is
 * also the run host: accepts, claims and progress of runs share one store, and its commits.
 */

await runHttpProcess("receiver", openReceiver);

async function openReceiver({
  settings,
  start,
  web,
  logger,
  onEvent,
  send,
}: ProcessContext): Promise<ListeningProcess> {
  const store = await openConfiguredStore(settings, logger);
  const project = await createProjectReader(settings.stateDir);
  if (settings.mode === "deployed") requireSecrets(project.current());
  const runs = start.runs
    ? await openRunHost({
        settings,
        store,
        project,
        logger,
        reporter: { notice: (level, message) => send({ type: "notice", level, message }) },
        address: start.runs,
        workers: start.workers,
      })
    : null;
  const stopping = new AbortController();
  const deliveries = createDeliveryTally({ isDeclared: (endpoint) => project.current().byEndpoint.has(endpoint) });
  const closedConnections = createClosedConnectionTally();
  const storeWithHost = runs ? { ...store, acceptDelivery: runs.host.acceptDelivery } : store;
  const observe = (event: ReceiverEvent) => {
    deliveries.observe(event);
    onEvent(event, project.current().manifest);
  };
  const { ingest } = createIngest({
    settings,
    store: storeWithHost,
    project,
    logger,
    stopping: stopping.signal,
    onEvent: observe,
  });
  const receiveFed = createReceiveFed({ store: storeWithHost, project, clock: systemClock });

  /** Never rejects. */
  async function takeDelivery({ delivery, ...p }: Parameters<TakeDelivery>[0]): Promise<TakenDelivery> {
    try {
      const result = await receiveFed(delivery, p);
      if (result.kind === "busy") return { taken: "busy", reason: result.reason };
      if (result.kind === "recorded")
        observe({ type: "delivery", delivery: result.delivery, tookMs: result.delivery.durationMs });
      return { taken: result.kind };
    } catch (error) {
      logger.error("could not take a delivery of the feed", { deliveryId: delivery.id, error });
      return { taken: "failed", reason: error instanceof Error ? error.message : String(error) };
    }
  }

  // The watcher thread needs 18 MB, and only the schemas of a webhook can block the event loop.
  const startWatcher = onlyOnce(() => watchEventLoop(httpProcessWatch));
  const { connections } = settings.limits;
  const proxies = trustProxies(settings.trustProxy);
  const http = createHttpServer({
    ingest(request, findRemoteReason) {
      startWatcher();
      return ingest(request, findRemoteReason);
    },
    forwarder: createForwarder({ web, maxInProgress: maxForwarded(connections), proxies, logger }),
    health: createHealthHandler(
      createReadiness({ store, project, clock: systemClock, logger, stopping: stopping.signal }),
    ),
    // Only the pages' development server uses upgraded connections.
    allowsUpgrades: settings.pages === "source",
    isSecure: settings.baseUrl?.startsWith("https:") ?? false,
    proxies,
    maxConnections: connections,
    onConnectionClosed: closedConnections.add,
    logger,
  });
  http.server.listen({ port: settings.port, host: settings.host, backlog });
  await once(http.server, "listening").catch((error: unknown) => {
    throw describeListenFailure(error, { host: settings.host, port: settings.port, option: "--port" });
  });

  async function readNumbers(): Promise<ReceiverNumbers> {
    return {
      deliveries: deliveries.read(),
      store: await store.numbers().catch(() => null),
      closedConnections: closedConnections.read(),
      rssBytes: process.memoryUsage.rss(),
    };
  }

  let closing: Promise<void> | null = null;
  function stopReceiving(graceMs: number): Promise<void> {
    stopping.abort();
    return (closing ??= http.close(graceMs));
  }

  return {
    port: (http.server.address() as AddressInfo).port,
    project,
    handle(message) {
      switch (message.type) {
        case "read-receiver-numbers":
          return void readNumbers().then((numbers) => send({ type: "receiver-numbers", numbers }));
        case "stop-receiving":
          return void stopReceiving(message.graceMs).then(() => send({ type: "stopped-receiving" }));
        case "build":
        case "port":
        case "input-checked":
        case "numbers":
          return;
        default:
          if (runs)
            serveHostLink({ host: runs.host, takeDelivery }, message, (answer) =>
              send({ type: "host-answer", ...answer }),
            );
      }
    },
    async close(graceMs) {
      runs?.host.stop();
      await stopReceiving(graceMs);
      await runs?.close();
      await store.close();
    },
  };
}

/**
 * The maximum number of requests that are forwarded concurrently. The other half of the connections is reserved for
 * webhooks, regardless of how many requests the pages and the API get.
 */
function maxForwarded(maxConnections: number): number {
  return Math.max(16, Math.floor(maxConnections / 2));
}

function createClosedConnectionTally() {
  const counts = new Map<string, { closed: ClosedConnection; count: number }>();
  return {
    add(closed: ClosedConnection) {
      const name = `${closed.limit} ${closed.connection}`;
      counts.set(name, { closed, count: (counts.get(name)?.count ?? 0) + 1 });
    },
    read: () => [...counts.values()],
  };
}
