import type { DeliverySummary } from "../contract/delivery.ts";
import type { Pulse, Pulses } from "../contract/live.ts";
import type { Feed } from "../ports/feed.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";

const maxPulses = 50;
const pageRows = 100;
const maxPages = 5;

/**
 * New deliveries, each once. Of many, the newest 50 are shown and the others counted, up to a limit. A reader that
 * returns gets only later deliveries.
 */
export function createPulseFeed({ store }: { store: Pick<DeliveryStore, "listDeliveries"> }): Feed<Pulses> {
  let known: ReadonlySet<string> | null = null;
  return {
    async look(has) {
      if (!has("deliveries")) return null;
      if (known === null) {
        known = new Set((await newest(store, null)).data.map(({ id }) => id));
        return null;
      }
      const { fresh, seen } = await readNew(store, known);
      known = seen;
      if (fresh.length === 0) return null;
      const deliveries = fresh.slice(0, maxPulses).map(toPulse).toReversed();
      return { after: "", data: { deliveries, missed: Math.max(0, fresh.length - maxPulses) } };
    },
  };
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
