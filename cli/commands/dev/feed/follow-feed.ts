import { setTimeout as delay } from "node:timers/promises";
import type { FedDelivery } from "../../../../server/contract/feed.ts";
import { formatCount, formatDuration } from "../../../../server/shared/format.ts";
import type { Service } from "../../service/start-service.ts";
import type { FeedCursor } from "./feed-cursors.ts";
import { type FeedMessage, type FeedSource, type FeedStart, InterruptedFeed } from "./feed-stream.ts";

export interface FollowOptions {
  source: Pick<FeedSource, "url" | "endpoints">;
  /** Matches start no runs. */
  isMatchOnly: boolean;
  /** Where to start. `null`: after the kept cursor, or with the next delivery. */
  since: string | null;
  cursor: FeedCursor;
  open(start: FeedStart, signal: AbortSignal): AsyncIterable<FeedMessage>;
  take: Service["takeDelivery"];
  notice(level: "info" | "warn" | "error", message: string): void;
  signal: AbortSignal;
  /** Tests replace it. Rejects if the signal is aborted. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** From 0 to 1. */
  random?: () => number;
}

/** The deliveries that are recorded at once. Further ones wait at the other service. */
const maxInProgress = 16;
const maxBackOffMs = 30_000;
const busyMs = 500;

/**
 * Records the deliveries of another service here, each once, until `signal` is aborted. A broken connection is opened
 * again, after the last recorded delivery. Rejects if the first connection is rejected. If a later one is, following
 * ends with a notice, and the local service continues.
 */
export async function followFeed(options: FollowOptions): Promise<void> {
  const { signal, notice, source, since, open } = options;
  const wait = options.wait ?? ((ms: number) => delay(ms, undefined, { signal }));
  const random = options.random ?? Math.random;
  const intake = createIntake(options, wait);
  let start: FeedStart = since === null ? null : { since };
  const kept = options.cursor.read();
  if (start === null && kept !== null) start = { cursor: kept };
  let failures = 0;
  let hasConnected = false;

  function connected(): void {
    if (!hasConnected) notice("info", describeStart(options, start));
    else if (failures > 0) notice("info", `The feed of ${source.url} continues after the last delivery.`);
    hasConnected = true;
    failures = 0;
  }

  try {
    while (!signal.aborted) {
      let isFirst = true;
      try {
        for await (const { cursor, delivery } of open(start, signal)) {
          if (isFirst) connected();
          isFirst = false;
          await intake.add(cursor, delivery);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof InterruptedFeed)) {
          if (!hasConnected) throw error;
          return notice("error", `The feed has ended. ${error instanceof Error ? error.message : String(error)}`);
        }
        const waitMs = Math.min(maxBackOffMs, 1_000 * 2 ** failures) * (0.75 + random() / 2);
        if (failures === 0) notice("warn", `${error.message}. Next attempt in ${formatDuration(waitMs)}.`);
        failures += 1;
        await wait(waitMs, signal).catch(() => {});
      }
      await intake.settled();
      const reached = options.cursor.read();
      if (reached !== null) start = { cursor: reached };
    }
  } finally {
    await intake.settled();
    options.cursor.close();
  }
}

function describeStart({ source, isMatchOnly }: FollowOptions, start: FeedStart): string {
  const what = source.endpoints.length === 0 ? "The deliveries" : `The deliveries to ${source.endpoints.join(" and ")}`;
  const effect = isMatchOnly ? "are evaluated here and start no runs" : "run here";
  const from = start === null ? "from now on" : "cursor" in start ? "since the last time" : `since ${start.since}`;
  return `${what} of ${source.url} ${effect}, ${from}.`;
}

/** Records deliveries, some at once, and saves the cursor after those that are recorded without a gap. */
function createIntake(options: FollowOptions, wait: (ms: number, signal: AbortSignal) => Promise<unknown>) {
  const { source, isMatchOnly, notice } = options;
  const inProgress = new Set<Promise<boolean>>();
  /** Whether all deliveries so far are recorded. */
  let recorded: Promise<boolean> = Promise.resolve(true);
  let known = 0;

  /** Returns whether it is recorded. */
  async function take(delivery: FedDelivery): Promise<boolean> {
    for (let isReported = false; !options.signal.aborted;) {
      const taken = await options.take({ delivery, url: source.url, isMatchOnly });
      if (taken?.taken === "known") known += 1;
      if (taken?.taken === "known" || taken?.taken === "recorded") return true;
      if (taken?.taken === "failed") {
        notice("error", `Delivery ${delivery.id} of ${source.url} cannot be recorded here: ${taken.reason}`);
        return true;
      }
      if (taken && !isReported) notice("warn", `Delivery ${delivery.id} of ${source.url} waits: ${taken.reason}`);
      isReported ||= taken !== null;
      // Without a service, e.g. while its build is broken, deliveries wait as well.
      await wait(busyMs, options.signal).catch(() => {});
    }
    return false;
  }

  return {
    async add(cursor: string, delivery: FedDelivery | null): Promise<void> {
      const taking = delivery === null ? Promise.resolve(true) : take(delivery);
      inProgress.add(taking);
      void taking.then(() => inProgress.delete(taking));
      const before = recorded;
      recorded = Promise.all([before, taking]).then(([earlier, isRecorded]) => {
        if (earlier && isRecorded) options.cursor.save(cursor);
        if (delivery === null && known > 0) {
          notice("info", `${formatCount(known, "delivery", "deliveries")} had been recorded here before.`);
          known = 0;
        }
        return earlier && isRecorded;
      });
      while (inProgress.size >= maxInProgress) await Promise.race(inProgress);
    },
    settled: () => recorded,
  };
}
