import type { RunHost } from "../../run-channel/host/run-host.ts";
import type { FedDelivery } from "../../contract/feed.ts";
import type { HostAnswer, HostMessage, HostRequest, ProcessStart, TakenDelivery } from "../protocol.ts";

/** The part of the run host that the parent of the workers uses. */
export type PoolHost = Pick<
  RunHost,
  "workerStarted" | "workerAlive" | "workerDied" | "hold" | "release" | "isolatedRuns" | "countBlockedRuns" | "stop"
>;

/** The supervisor's connection to the run host in the receiver. */
export interface HostLink extends PoolHost {
  /** Records a delivery of the feed of another service. `null`: the service is stopping. */
  takeDelivery: TakeDelivery;
  /** The workers that the next receiver must know from its start. */
  describeWorkers(): NonNullable<ProcessStart["workers"]>;
  /** A receiver was started: unanswered requests are sent to it, then all further messages. */
  connect(send: (message: HostMessage) => void): void;
  /** The receiver has ended. Deaths wait for the next one. */
  disconnect(): void;
  handleAnswer(p: { id: number; answer: HostAnswer }): void;
  /** No other receiver will be started. Answers all requests with `null`. */
  close(): void;
}

export type TakeDelivery = (p: {
  delivery: FedDelivery;
  /** Of the service that it comes from. */
  url: string;
  isMatchOnly: boolean;
}) => Promise<TakenDelivery | null>;

interface Pending {
  request: HostRequest;
  settle: (answer: HostAnswer) => void;
}

/** Heartbeats of a worker within this time are one message. The host expects one every two seconds. */
const minHeartbeatIntervalMs = 250;

/**
 * Sends messages to the run host in the receiver. A request is repeated until a receiver answers it. Requests are
 * idempotent.
 */
export function createHostLink(now: () => number = () => performance.now()): HostLink {
  const pending = new Map<number, Pending>();
  const known = new Set<string>();
  const held = new Set<string>();
  const lastSentAt = new Map<string, { responsive: number; alive: number }>();
  let send: ((message: HostMessage) => void) | null = null;
  let requests = 0;
  let isClosed = false;

  async function sendRequest(request: HostRequest): Promise<HostAnswer> {
    if (isClosed) return null;
    requests += 1;
    const id = requests;
    const { promise, resolve } = Promise.withResolvers<HostAnswer>();
    pending.set(id, { request, settle: resolve });
    send?.({ type: "host-request", id, ...request });
    return await promise;
  }

  function settle(id: number, answer: HostAnswer): void {
    pending.get(id)?.settle(answer);
    pending.delete(id);
  }

  return {
    workerStarted: (workerId) => void known.add(workerId),
    workerAlive(workerId, { isResponsive }) {
      if (!send) return;
      const at = now();
      const last = lastSentAt.get(workerId) ?? { responsive: -Infinity, alive: -Infinity };
      if (at - (isResponsive ? last.responsive : last.alive) < minHeartbeatIntervalMs) return;
      lastSentAt.set(workerId, { responsive: isResponsive ? at : last.responsive, alive: at });
      send({ type: "worker-alive", workerId, isResponsive });
    },
    async workerDied({ workerId, death, deadlines }) {
      lastSentAt.delete(workerId);
      const answer = await sendRequest({ request: "worker-died", workerId, death, deadlines: [...deadlines] });
      known.delete(workerId);
      held.delete(workerId);
      return Array.isArray(answer) ? answer : [];
    },
    async hold(workerIds) {
      for (const id of workerIds) held.add(id);
      // Without a receiver, the next one gets the held workers at its start.
      if (send) await sendRequest({ request: "hold-workers", workerIds });
    },
    release(workerIds) {
      for (const id of workerIds) held.delete(id);
      send?.({ type: "release-workers", workerIds });
    },
    async isolatedRuns() {
      const answer = await sendRequest({ request: "isolated-runs" });
      return answer !== null && "queued" in answer ? answer : { queued: 0, nextAt: null };
    },
    async countBlockedRuns() {
      const answer = await sendRequest({ request: "count-blocked-runs" });
      return answer !== null && "blocked" in answer ? answer.blocked : 0;
    },
    async takeDelivery(p) {
      const answer = await sendRequest({ request: "take-delivery", ...p });
      return answer !== null && "taken" in answer ? answer : null;
    },
    stop: () => send?.({ type: "stop-assigning" }),
    describeWorkers: () => ({ known: [...known], held: [...held] }),
    connect(toReceiver) {
      send = toReceiver;
      for (const [id, { request }] of pending) send({ type: "host-request", id, ...request });
    },
    disconnect() {
      send = null;
      for (const [id, { request }] of pending) if (request.request === "hold-workers") settle(id, null);
    },
    handleAnswer: ({ id, answer }) => settle(id, answer),
    close() {
      isClosed = true;
      for (const id of pending.keys()) settle(id, null);
    },
  };
}

/** The receiver's side: passes the messages on to its run host. */
export function serveHostLink(
  { host, takeDelivery }: { host: RunHost; takeDelivery: TakeDelivery },
  message: HostMessage,
  answer: (p: { id: number; answer: HostAnswer }) => void,
): void {
  switch (message.type) {
    case "runs-queued":
      return host.wake();
    case "cancel-requested":
      return host.cancel(message.runId);
    case "worker-alive":
      return host.workerAlive(message.workerId, { isResponsive: message.isResponsive });
    case "release-workers":
      return host.release(message.workerIds);
    case "stop-assigning":
      return host.stop();
    case "host-request":
      return void handleRequest({ host, takeDelivery }, message).then((answered) =>
        answer({ id: message.id, answer: answered }),
      );
  }
}

/** Never rejects. If the store does not answer, the next check finds the isolated runs. */
async function handleRequest(
  { host, takeDelivery }: { host: RunHost; takeDelivery: TakeDelivery },
  request: HostRequest,
): Promise<HostAnswer> {
  switch (request.request) {
    case "worker-died":
      return await host.workerDied({ ...request, deadlines: new Map(request.deadlines) });
    case "hold-workers":
      return host.hold(request.workerIds).then(() => null);
    case "isolated-runs":
      return await host.isolatedRuns().catch((): HostAnswer => null);
    case "count-blocked-runs":
      return await host.countBlockedRuns().then(
        (blocked) => ({ blocked }),
        () => null,
      );
    case "take-delivery":
      return await takeDelivery(request);
  }
}
