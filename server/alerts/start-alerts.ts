import type { AlertSettings } from "../config.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import type { RetryPolicy } from "../contract/project/options.ts";
import type { Destination } from "../contract/alert.ts";
import type { DiskFact, Finding } from "../domain/alerts/findings.ts";
import type { StoredAlert } from "../domain/alerts/plan-alerts.ts";
import { newId } from "../domain/ids.ts";
import { planRetry } from "../domain/runs/plan-retry.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { MessageOutcome, TakenMessage } from "../ports/store/alert-store.ts";
import { type AlertReads, evaluateAlerts, listDestinations } from "./evaluate-alerts.ts";
import { sendMessage } from "./send-message.ts";

/** Messages are retried for about a day. */
const messagePolicy: RetryPolicy = { attempts: 15, backoff: "exponential", initialMs: 5_000, maxMs: 6 * 3_600_000 };

const evaluateEveryMs = 15_000;
const sendEveryMs = 5_000;
/** Longer than the slowest attempt. */
const leaseMs = 60_000;
const maxAtOnce = 10;

interface AlertOptions {
  store: AlertReads & Pick<Store, "takeMessages" | "finishMessage">;
  settings: AlertSettings;
  readManifest: () => Promise<Manifest | null>;
  /** The URL of the app, without a trailing slash. */
  baseUrl: () => string;
  machine: string;
  /** The disks of this machine with the store. */
  readDisks: () => Promise<DiskFact[]>;
  clock: Clock;
  logger: Logger;
  random?: () => number;
}

/** Evaluates alerts and sends their messages, beside everything else. With several machines, each does its share. */
export function startAlerts(p: AlertOptions): { close(): Promise<void> } {
  const { logger } = p;
  const watch = watchStore(p);
  let isClosed = false;
  const timers = [repeat(evaluate, evaluateEveryMs), repeat(send, sendEveryMs)];

  async function evaluate(): Promise<void> {
    const { clock, settings } = p;
    const now = clock.now();
    try {
      const hasMessages = await evaluateAlerts({
        ...p,
        ...settings,
        manifest: await p.readManifest().catch(() => null),
        others: watch.findings(now),
        everyMs: evaluateEveryMs,
        now,
      });
      watch.available();
      if (hasMessages) await send();
    } catch (error) {
      logger.warn("alerts could not be evaluated, retrying", { error });
      await watch.unavailable(now);
    }
  }

  async function send(): Promise<void> {
    try {
      await sendDue(p, () => isClosed);
    } catch (error) {
      logger.warn("alert messages could not be sent, retrying", { error });
    }
  }

  function repeat(work: () => Promise<void>, everyMs: number): { stop(): Promise<void> } {
    let running: Promise<void> = Promise.resolve();
    let timer = setTimeout(begin, everyMs).unref();
    function begin(): void {
      running = work().finally(() => {
        if (!isClosed) timer = setTimeout(begin, everyMs).unref();
      });
    }
    return {
      async stop() {
        clearTimeout(timer);
        await running;
      },
    };
  }

  return {
    async close() {
      isClosed = true;
      await Promise.all(timers.map((timer) => timer.stop()));
    },
  };
}

/** Sends the messages that are due, and writes their outcomes. */
async function sendDue(p: AlertOptions, isStopping: () => boolean): Promise<void> {
  const { store, clock } = p;
  while (!isStopping()) {
    const taken = await store.takeMessages({ now: clock.now(), leaseMs, limit: maxAtOnce });
    await Promise.all(
      taken.map(async (message) => {
        const outcome = await attempt(p, message);
        const { id, attempt: number } = message;
        await store.finishMessage({ id, attempt: number, outcome, now: clock.now() });
      }),
    );
    if (taken.length < maxAtOnce) return;
  }
}

async function attempt(p: AlertOptions, message: TakenMessage): Promise<MessageOutcome> {
  const now = p.clock.now();
  const { destinations } = p.settings;
  const result = await sendMessage({ ...message, at: message.createdAt }, { destinations, baseUrl: p.baseUrl(), now });
  if (result.isSent) return { kind: "sent" };
  const { error, isFinal } = result;
  const retry = planRetry({
    policy: messagePolicy,
    failure: { isRetryable: !isFinal },
    attempt: message.attempt,
    maxAttempts: messagePolicy.attempts,
    now,
    random: p.random ?? Math.random,
  });
  const fields = { message: message.id, destination: message.destination, attempt: message.attempt, reason: error };
  if (retry.kind === "retry") {
    p.logger.warn("alert message failed, retrying", fields);
    return { kind: "retry", at: retry.availableAt, error };
  }
  p.logger.error("alert message failed", fields);
  return { kind: "failed", error };
}

/**
 * An unavailable store can record no alert: this machine sends one by itself, once per outage. When the store is back,
 * the alert is recorded, and its end is reported.
 */
function watchStore({ settings, machine, clock, baseUrl, logger }: AlertOptions) {
  const { destinations, rules } = settings;
  let since: number | null = null;
  let alert: { stored: StoredAlert; ids: Map<Destination, string>; sent: Set<Destination> } | null = null;

  function openAlert(from: number, now: number) {
    const detail = { since: new Date(from).toISOString() };
    const stored = { id: newId("alt", now), kind: "store_unavailable" as const, subject: machine, count: 1, detail };
    const ids = new Map(listDestinations(destinations).map((destination) => [destination, newId("msg", now)]));
    return {
      stored: { ...stored, openedAt: from, lastAt: now, resolvedAt: null, reportedCount: null },
      ids,
      sent: new Set<Destination>(),
    };
  }

  return {
    /** The outage that has just ended, to be recorded. */
    findings(now: number): Finding[] {
      if (!alert) return [];
      const { id, kind, subject, count, detail, openedAt } = alert.stored;
      const sentAs = alert.sent.size > 0 ? { sentAs: id } : {};
      return [{ kind, subject, count, detail, firstAt: openedAt, lastAt: now, ...sentAs }];
    },
    available: () => void ([since, alert] = [null, null]),
    async unavailable(now: number): Promise<void> {
      since ??= now;
      if (!rules.storeUnavailable || now - since < rules.storeUnavailable.afterMs) return;
      alert ??= openAlert(since, now);
      for (const [destination, id] of alert.ids) {
        if (alert.sent.has(destination)) continue;
        const message = {
          id,
          destination,
          type: "alert.opened" as const,
          at: alert.stored.lastAt,
          alert: alert.stored,
        };
        const result = await sendMessage(message, { destinations, baseUrl: baseUrl(), now: clock.now() });
        if (result.isSent) alert.sent.add(destination);
        else logger.warn("alert message failed, retrying", { message: id, destination, reason: result.error });
      }
    },
  };
}
