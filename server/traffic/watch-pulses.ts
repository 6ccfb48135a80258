import { setTimeout } from "node:timers/promises";
import type { DeliveryOutcome, DeliverySummary } from "../contract/delivery.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";

/** A delivery that is animated on the canvas. */
interface Pulse {
  id: string;
  endpoint: string;
  outcome: DeliveryOutcome;
  /** Attachment ids that it passed, and those that stopped it. */
  matched: string[];
  stopped: string[];
}

export interface Pulses {
  /** Oldest first. */
  deliveries: Pulse[];
  /** The number of further deliveries that are not shown here. */
  missed: number;
}

const quietMs = 200;
const maxPulses = 50;
const pageRows = 100;
const maxPages = 5;

/**
 * New deliveries, each once, in batches of 200 ms. Of many, the newest 50 are shown and the others counted, up to a
 * limit. `nextChange` resolves when the store may have more, or when `signal` is aborted.
 */
export async function* watchPulses(
  deps: { store: Pick<DeliveryStore, "listDeliveries"> },
  p: { nextChange: () => Promise<void>; signal: AbortSignal },
): AsyncGenerator<Pulses> {
  let known = new Set((await newest(deps.store, null)).data.map(({ id }) => id));
  for (;;) {
    await p.nextChange();
    if (p.signal.aborted) return;
    const { fresh, seen } = await readNew(deps.store, known);
    known = seen;
    if (fresh.length > 0)
      yield {
        deliveries: fresh.slice(0, maxPulses).map(toPulse).toReversed(),
        missed: Math.max(0, fresh.length - maxPulses),
      };
    await setTimeout(quietMs, undefined, { signal: p.signal }).catch(() => undefined);
  }
}

/** The deliveries that are newer than the known ones, newest first. */
async function readNew(
  store: Pick<DeliveryStore, "listDeliveries">,
  known: ReadonlySet<string>,
): Promise<{ fresh: DeliverySummary[]; seen: Set<string> }> {
  const fresh: DeliverySummary[] = [];
  const seen = new Set<string>();
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const { data, nextCursor } = await newest(store, cursor);
    for (const delivery of data) seen.add(delivery.id);
    const unknown = data.filter(({ id }) => !known.has(id));
    fresh.push(...unknown);
    if (unknown.length < data.length || nextCursor === null) break;
    cursor = nextCursor;
  }
  return { fresh, seen };
}

function newest(store: Pick<DeliveryStore, "listDeliveries">, cursor: string | null) {
  return store.listDeliveries({}, { limit: pageRows, cursor });
}

function toPulse({ id, endpoint, outcome, verdicts }: DeliverySummary): Pulse {
  const attachments = (isMatch: boolean) =>
    verdicts.filter((verdict) => (verdict.outcome === "matched") === isMatch).map(({ attachmentId }) => attachmentId);
  return { id, endpoint, outcome, matched: attachments(true), stopped: attachments(false) };
}
