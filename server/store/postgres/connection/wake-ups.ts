import { randomUUID } from "node:crypto";
import { Client, type Pool } from "pg";
import { createListeners } from "../../../domain/event-loop.ts";
import type { Logger } from "../../../ports/logger.ts";
import { connectionConfig, isShared, listenerName, settle } from "./connect.ts";
import { toStoreError } from "../store-error.ts";

const channel = "signalbox_runs";
/** A process that is killed between its commit and its notification leaves the others unaware: they check by themselves. */
const checkEveryMs = 2_000;
const reconnectMs = 500;
/** A commit that notifies takes a lock on the whole database cluster: under load, one notifies for several. */
const minIntervalMs = 10;

/** Wakes the run hosts of other processes and machines. */
export interface WakeUps {
  /** Listens while there is a listener. Also calls it when the connection is made again, and every two seconds. */
  watch(listener: () => void): () => void;
  /** Notifies all other processes soon. Call it after the commit. */
  send(): void;
  close(): Promise<void>;
}

/**
 * LISTEN on a connection of its own. Others are notified after the commit, not by it: commits that notify wait for each
 * other, each with its fsync.
 */
export function createWakeUps(p: { url: string; pool: Pool; logger: Logger }): WakeUps {
  /** Our own notifications come back to us as well. */
  const origin = randomUUID();
  const listeners = createListeners();
  let client: Client | null = null;
  let connecting: Promise<void> | null = null;
  let reconnecting: NodeJS.Timeout | null = null;
  let checking: NodeJS.Timeout | null = null;
  let isClosed = false;
  let sending: Promise<void> | null = null;
  let isToSend = false;
  let isProbing = false;

  async function listen(): Promise<void> {
    const next = new Client({ ...connectionConfig(p.url), application_name: listenerName });
    next.on("error", () => lose(next));
    next.on("end", () => lose(next));
    next.on("notification", ({ payload }) => {
      if (payload !== origin) listeners.notify();
    });
    client = next;
    try {
      await next.connect();
      await settle(next);
      await next.query(`LISTEN ${channel}`);
      // Earlier notifications are lost.
      listeners.notify();
    } catch (error) {
      // It was stopped meanwhile.
      if (client !== next) return;
      p.logger.warn("could not listen for runs of other processes, polling until it reconnects", {
        error: toStoreError(error),
      });
      lose(next);
    }
  }

  /** A connection through which nothing comes looks like one that was cut silently. */
  function probe(): void {
    const probed = client;
    if (!probed || isProbing) return;
    isProbing = true;
    probed
      .query("SELECT 1")
      .catch(() => lose(probed))
      .finally(() => (isProbing = false));
  }

  function check(): void {
    listeners.notify();
    probe();
  }

  function lose(lost: Client): void {
    if (client !== lost) return;
    client = null;
    lost.end().catch(() => {});
    if (isClosed || listeners.isEmpty() || reconnecting) return;
    reconnecting = setTimeout(() => {
      reconnecting = null;
      connecting = listen();
    }, reconnectMs).unref();
  }

  async function sendAll(): Promise<void> {
    while (isToSend) {
      isToSend = false;
      try {
        await p.pool.query({
          ...(isShared(p.pool) ? {} : { name: "signalbox_notify" }),
          text: `SELECT pg_notify('${channel}', $1)`,
          values: [origin],
        });
      } catch (error) {
        p.logger.warn("could not notify other processes of runs", { error: toStoreError(error) });
      }
      if (!isClosed) await new Promise((resolve) => setTimeout(resolve, minIntervalMs));
    }
    sending = null;
  }

  function stop(): void {
    if (reconnecting) clearTimeout(reconnecting);
    if (checking) clearInterval(checking);
    [reconnecting, checking] = [null, null];
    const leaving = client;
    client = null;
    leaving?.end().catch(() => {});
  }

  return {
    watch(listener) {
      const leave = listeners.add(listener, stop);
      if (!client && !reconnecting) connecting = listen();
      checking ??= setInterval(check, checkEveryMs).unref();
      return leave;
    },
    send() {
      isToSend = true;
      sending ??= sendAll();
    },
    async close() {
      isClosed = true;
      listeners.clear();
      await connecting;
      stop();
      await sending;
    },
  };
}
