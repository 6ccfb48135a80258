import { randomUUID } from "node:crypto";
import { Client, type Pool } from "pg";
import { type Logger, createThrottledLog } from "../../ports/logger.ts";
import { createListeners, type Listeners } from "../../domain/event-loop.ts";
import { connectionConfig, isShared, listenerName, settle } from "./connect.ts";

const channel = "signalbox_changed";
/**
 * A process that is killed between its commit and its word to the others leaves them unaware: they look by themselves
 * now and then.
 */
const unaskedMs = 2_000;
const reconnectMs = 500;

export interface ChangeListener {
  watch(listener: () => void): () => void;
  /** Own writes do not count. */
  watchOthers(listener: () => void): () => void;
  /**
   * This process has committed something: its own listeners hear of it on the next tick, and all other processes by
   * NOTIFY.
   */
  changed(): void;
  close(): Promise<void>;
}

/**
 * LISTEN on a connection of its own, made when the first listens. Others are told after the commit, not by it: commits
 * that notify wait for each other over the whole database, each with its fsync. What is told while a word is under way
 * goes with the next.
 */
export function createChangeListener(p: { url: string; pool: Pool; logger: Logger }): ChangeListener {
  const logTrouble = createThrottledLog((message, fields) => p.logger.warn(message, fields));
  /** Words of our own come back to us as well. */
  const origin = randomUUID();
  const listeners = createListeners();
  const listenersToOthers = createListeners();
  let client: Client | null = null;
  let connecting: Promise<void> | null = null;
  let reconnecting: NodeJS.Timeout | null = null;
  let unasked: NodeJS.Timeout | null = null;
  let isClosed = false;
  let notifying: Promise<void> | null = null;
  let isToNotify = false;
  let isAsking = false;

  function tellAll(): void {
    listeners.notify();
    listenersToOthers.notify();
  }

  const areNone = () => listeners.isEmpty() && listenersToOthers.isEmpty();

  async function listen(): Promise<void> {
    const next = new Client({ ...connectionConfig(p.url), application_name: listenerName });
    next.on("error", () => lose(next));
    next.on("end", () => lose(next));
    next.on("notification", ({ payload }) => {
      if (payload !== origin) tellAll();
    });
    client = next;
    try {
      await next.connect();
      await settle(next);
      await next.query(`LISTEN ${channel}`);
      // What was told before is lost.
      tellAll();
    } catch (error) {
      // It was told to stop meanwhile.
      if (client !== next) return;
      logTrouble("could not listen for changes of other processes, polling until it reconnects", { error });
      lose(next);
    }
  }

  /** A connection by which nothing comes looks like one that was cut without a word. */
  function ask(): void {
    const asked = client;
    if (!asked || isAsking) return;
    isAsking = true;
    asked
      .query("SELECT 1")
      .catch(() => lose(asked))
      .finally(() => (isAsking = false));
  }

  function look(): void {
    tellAll();
    ask();
  }

  function lose(lost: Client): void {
    if (client !== lost) return;
    client = null;
    lost.end().catch(() => {});
    if (isClosed || areNone() || reconnecting) return;
    reconnecting = setTimeout(() => {
      reconnecting = null;
      connecting = listen();
    }, reconnectMs).unref();
  }

  async function notify(): Promise<void> {
    while (isToNotify) {
      isToNotify = false;
      try {
        await p.pool.query({
          ...(isShared(p.pool) ? {} : { name: "signalbox_notify" }),
          text: `SELECT pg_notify('${channel}', $1)`,
          values: [origin],
        });
      } catch (error) {
        logTrouble("could not notify other processes of a change", { error });
      }
    }
    notifying = null;
  }

  function stop(): void {
    if (reconnecting) clearTimeout(reconnecting);
    if (unasked) clearInterval(unasked);
    [reconnecting, unasked] = [null, null];
    const leaving = client;
    client = null;
    leaving?.end().catch(() => {});
  }

  function add(to: Listeners, listener: () => void): () => void {
    const leave = to.add(listener, () => areNone() && stop());
    if (!client && !reconnecting) connecting = listen();
    unasked ??= setInterval(look, unaskedMs).unref();
    return leave;
  }

  return {
    watch: (listener) => add(listeners, listener),
    watchOthers: (listener) => add(listenersToOthers, listener),
    changed() {
      listeners.notify();
      isToNotify = true;
      notifying ??= notify();
    },
    async close() {
      isClosed = true;
      listeners.clear();
      listenersToOthers.clear();
      await connecting;
      stop();
      await notifying;
    },
  };
}
