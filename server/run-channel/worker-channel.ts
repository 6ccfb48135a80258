import type { Duplex } from "node:stream";
import { AppError } from "../contract/app-error.ts";
import { TransientMap } from "../domain/transient-map.ts";
import type { Logger } from "../ports/logger.ts";
import type { RunChannel, RunClaim, RunExecutor } from "../ports/run-channel.ts";
import type { ProgressResult } from "../ports/store/engine-store.ts";
import {
  type HostMessage,
  type LeaseRenewal,
  type MessageStream,
  openMessageStream,
  protocolVersion,
  type WorkerIdentity,
  type WorkerMessage,
} from "./messages.ts";

export interface WorkerChannelOptions {
  /** Opens a connection to the host. */
  connect: () => Promise<Duplex>;
  secret: string;
  worker: WorkerIdentity;
  logger: Logger;
  /** Called with the offset of the store's clock from this machine's. */
  onClock?: (aheadMs: number) => void;
  /** Called when a restarted host does not accept this worker. */
  onRejected: (message: string) => void;
}

interface Pending<Message, Result> {
  message: Message;
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
}

type ProgressMessage = Extract<WorkerMessage, { type: "progress" }>;

const firstRetryMs = 20;
/** A connection to a local socket is cheap. */
const maxRetryMs = 250;
/** A server that is away for longer is reported. These take about a second. */
const quietRetries = 7;

/** The worker's side of the run channel. It reconnects until it is closed. */
export function createWorkerChannel(p: WorkerChannelOptions): RunChannel {
  const { logger } = p;
  const unacknowledged = new TransientMap<string, Pending<ProgressMessage, ProgressResult>>();
  const pendingLive = new Map<number, Pending<null, { held: boolean }>>();
  const opened = Promise.withResolvers<void>();
  let executor: RunExecutor | null = null;
  let stream: MessageStream<WorkerMessage> | null = null;
  let isConnected = false;
  let wasConnected = false;
  /** Whether the host knows that this worker is draining. */
  let hasSentDrain = false;
  let sentCapacity = 0;
  let liveCount = 0;
  let drained: PromiseWithResolvers<void> | null = null;
  let isDraining = false;
  let isClosed = false;
  let failures = 0;
  let retrying: NodeJS.Timeout | undefined;

  async function connect(running: RunExecutor): Promise<void> {
    let connection: Duplex;
    try {
      connection = await p.connect();
    } catch (error) {
      return reconnectLater(running, error);
    }
    if (isClosed) return void connection.destroy();
    stream = openMessageStream<WorkerMessage, HostMessage>(connection, {
      onMessages: (messages) => {
        for (const message of messages) handle(running, message);
      },
      onFlush: () => sendCapacity(running),
      onClosed: (error) => handleClosed(running, error),
    });
    sentCapacity = running.capacity();
    hasSentDrain = isDraining;
    stream.send({
      type: "hello",
      protocol: protocolVersion,
      secret: p.secret,
      worker: p.worker,
      capacity: sentCapacity,
      isDraining,
      runs: running.runs(),
      unacknowledged: [...unacknowledged.values()].map(({ message }) => message.runId),
    });
  }

  function handleClosed(running: RunExecutor, error: Error | null): void {
    stream = null;
    isConnected = false;
    // Nothing can be assigned without a connection, and the next hello says that the worker is draining.
    drained?.resolve();
    for (const { reject } of pendingLive.values()) reject(new Error("The connection to the server was lost."));
    pendingLive.clear();
    reconnectLater(running, error ?? new Error("The server closed the connection."));
  }

  function reconnectLater(running: RunExecutor, error: unknown): void {
    if (isClosed) return;
    // The server may still be starting, or it restarts or stops, which the supervisor reports.
    if (failures === quietRetries && wasConnected)
      logger.warn("connection to the server lost, reconnecting", { error });
    const waitMs = Math.min(maxRetryMs, firstRetryMs * 2 ** failures);
    failures += 1;
    retrying = setTimeout(() => void connect(running), waitMs);
  }

  function handle(running: RunExecutor, message: HostMessage): void {
    switch (message.type) {
      case "welcome":
        return handleWelcome(running, message);
      case "rejected":
        return handleRejected(message.message);
      case "assign":
        return running.assign(message.run);
      case "ack":
        return settle(message);
      case "live-ack":
        pendingLive.get(message.id)?.resolve({ held: message.held });
        return void pendingLive.delete(message.id);
      case "cancel":
        return running.cancel(message.runId);
      case "lost":
        return running.lose(message.run);
      case "renewed":
        return handleRenewal(running, message);
      case "drained":
        return drained?.resolve();
    }
  }

  function handleWelcome(running: RunExecutor, renewal: LeaseRenewal): void {
    failures = 0;
    isConnected = true;
    wasConnected = true;
    handleRenewal(running, renewal);
    for (const { message } of unacknowledged.values()) stream?.send(message);
    if (isDraining) sendDrain();
    opened.resolve();
  }

  function handleRenewal(running: RunExecutor, { clockAheadMs, leaseUntil, lost }: LeaseRenewal): void {
    p.onClock?.(clockAheadMs);
    for (const run of lost) running.lose(run);
    running.renew(leaseUntil);
  }

  function handleRejected(message: string): void {
    opened.reject(new Error(message));
    // Before the first welcome, `open` reports it.
    if (wasConnected) p.onRejected(message);
    close();
  }

  function settle(ack: Extract<HostMessage, { type: "ack" }>): void {
    const key = keyOf(ack.id, ack.token, ack.seq);
    const pending = unacknowledged.get(key);
    if (!pending) return;
    unacknowledged.delete(key);
    if (!("failure" in ack)) return pending.resolve({ held: ack.held, cancelRequested: ack.cancelRequested });
    const { isUnavailable, message } = ack.failure;
    pending.reject(isUnavailable ? new AppError("store_unavailable", message) : new Error(message));
  }

  function sendCapacity(running: RunExecutor): void {
    const runs = running.capacity();
    if (!isConnected || runs === sentCapacity) return;
    sentCapacity = runs;
    stream?.send({ type: "capacity", runs });
  }

  function sendDrain(): void {
    if (hasSentDrain) return;
    hasSentDrain = true;
    stream?.send({ type: "drain" });
  }

  function close(): void {
    isClosed = true;
    clearTimeout(retrying);
    drained?.resolve();
    if (isConnected) stream?.end();
    else stream?.destroy();
  }

  return {
    open(given) {
      executor = given;
      void connect(given);
      return opened.promise;
    },
    writeProgress: (progress) =>
      new Promise((resolve, reject) => {
        const message = { type: "progress" as const, ...progress };
        unacknowledged.set(keyOf(progress.runId, progress.token, progress.seq), { message, resolve, reject });
        if (isConnected) stream?.send(message);
      }),
    saveLive: (live) =>
      new Promise((resolve, reject) => {
        if (!isConnected) return reject(new Error("There is no connection to the server."));
        liveCount += 1;
        pendingLive.set(liveCount, { message: null, resolve, reject });
        stream?.send({ type: "live", id: liveCount, live });
      }),
    changed() {
      if (executor) sendCapacity(executor);
    },
    release(run: RunClaim) {
      if (isConnected) stream?.send({ type: "released", run });
    },
    drain() {
      isDraining = true;
      if (!stream) return Promise.resolve();
      drained ??= Promise.withResolvers<void>();
      if (isConnected) sendDrain();
      return drained.promise;
    },
    close,
  };
}

const keyOf = (id: string, token: string, seq: number) => `${id} ${token} ${seq}`;
