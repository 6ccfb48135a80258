import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import type { DeliveryCount, TargetCount, TrafficStore, VerdictCount } from "../ports/store/traffic-store.ts";
import { inBatches } from "../domain/event-loop.ts";
import { type TimeFrame, storedBuckets } from "./time-frame.ts";

/** The traffic of some endpoints in a time frame. */
interface EndpointTraffic {
  deliveries: DeliveryCount[];
  verdicts: VerdictCount[];
  targets: TargetCount[];
  /** The time of the last delivery to each endpoint, in their order, even before the frame. */
  lastTimes: (string | null)[];
}

export interface TrafficReader {
  read(p: { endpoints: readonly string[]; frame: TimeFrame; now: number }): Promise<EndpointTraffic>;
}

type Counts = Pick<EndpointTraffic, "deliveries" | "verdicts" | "targets">;

/** Maximum delay between the receipt of a delivery, whose bucket it counts in, and its recording. */
const settledAfterMs = 2 * 60_000;
/** Four windows of the largest number of endpoints on a canvas. */
const maxKept = 1_200;
const portion = 5;

/**
 * An open canvas reads every second, and a week of a large project is millions of counters. Past buckets do not change:
 * they are read once and cached for all viewers.
 */
export function createTrafficReader(
  store: Pick<TrafficStore, "countDeliveries" | "countVerdicts"> & Pick<DeliveryStore, "listDeliveries">,
): TrafficReader {
  const settled = new Map<string, Promise<Counts>>();
  const last = new Map<string, { seen: string; at: string | null }>();

  function readSettled(endpoint: string, frame: TimeFrame, until: number): Promise<Counts> {
    const key = JSON.stringify([endpoint, frame.since, until, frame.bucketMs]);
    const known = settled.get(key);
    const counts = known ?? readCounts([endpoint], { ...frame, until });
    keepNewest(settled, key, counts);
    if (!known) counts.catch(() => settled.delete(key));
    return counts;
  }

  async function readCounts(endpoints: readonly string[], frame: TimeFrame): Promise<Counts> {
    const window = { ...storedBuckets(frame), endpoints };
    const [deliveries, { verdicts, targets }] = await Promise.all([
      store.countDeliveries(window),
      store.countVerdicts(window),
    ]);
    return { deliveries: coarsen(deliveries, frame), verdicts, targets };
  }

  /** Read again only after new deliveries. */
  async function lastTimeOf(endpoint: string, seen: string): Promise<string | null> {
    const known = last.get(endpoint);
    if (known?.seen === seen) return known.at;
    const { data } = await store.listDeliveries({ endpoint }, { limit: 1, cursor: null });
    const at = data[0]?.receivedAt ?? null;
    keepNewest(last, endpoint, { seen, at });
    return at;
  }

  return {
    async read({ endpoints, frame, now }) {
      const { bucketMs } = storedBuckets(frame);
      const settledUntil = Math.max(frame.since, Math.floor((now - settledAfterMs) / bucketMs) * bucketMs);
      const open = await readCounts(endpoints, { ...frame, since: settledUntil });
      const over = await inBatches(endpoints, {
        size: portion,
        work: (some) => Promise.all(some.map((endpoint) => readSettled(endpoint, frame, settledUntil))),
      });
      const openCounts = Map.groupBy(open.deliveries, ({ endpoint }) => endpoint);
      const seenOn = (endpoint: string) =>
        JSON.stringify([settledUntil, bucketMs, openCounts.get(endpoint)?.map(({ count }) => count)]);
      const lastTimes = await inBatches(endpoints, {
        size: portion,
        work: (some) => Promise.all(some.map((endpoint) => lastTimeOf(endpoint, seenOn(endpoint)))),
      });
      const all = [...over, open];
      return {
        deliveries: all.flatMap((counts) => counts.deliveries),
        verdicts: all.flatMap((counts) => counts.verdicts),
        targets: all.flatMap((counts) => counts.targets),
        lastTimes,
      };
    },
  };
}

/** In the frame's own buckets, 28 instead of 168 for a week, to keep the cache small. */
function coarsen(counts: readonly DeliveryCount[], { bucketMs }: TimeFrame): DeliveryCount[] {
  const sums = new Map<string, DeliveryCount>();
  for (const { endpoint, at, outcome, count } of counts) {
    const bucket = at - (at % bucketMs);
    const key = JSON.stringify([endpoint, bucket, outcome]);
    const sum = sums.get(key);
    if (sum) sum.count += count;
    else sums.set(key, { endpoint, at: bucket, outcome, count });
  }
  return [...sums.values()];
}

/** The most recently used entries stay longest. */
function keepNewest<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
}
