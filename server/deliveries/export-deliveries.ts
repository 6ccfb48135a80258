import type { RecordedDeliveryLine } from "../contract/backtest.ts";
import type { DeliverySummary } from "../contract/delivery.ts";
import { readPages } from "../contract/list.ts";
import { stopIfDisconnected } from "../domain/problem.ts";
import type { RecordedDelivery } from "../matching/backtest.ts";
import type { Clock } from "../ports/clock.ts";
import type { DeliveryFilter, DeliveryStore } from "../ports/store/delivery-store.ts";

const pageRows = 100;
/** The bodies that are in memory at once, unless a single one is larger. */
const maxPortionBytes = 4 * 1024 * 1024;

/**
 * The deliveries of a filter with their bodies, newest first, as fast as the consumer reads them. A portion can be
 * empty while the store is still searching.
 */
export async function* readWithBodies(
  { store, clock }: { store: Pick<DeliveryStore, "listDeliveries" | "getDeliveryBodies">; clock: Clock },
  filter: DeliveryFilter,
  signal?: AbortSignal,
): AsyncGenerator<RecordedDelivery[]> {
  // Deliveries of the meantime are newer than the first page, so none is missed and the export ends.
  const until = Math.min(filter.until ?? Infinity, clock.now() + 1);
  const pages = readPages((cursor) => {
    stopIfDisconnected(signal);
    return store.listDeliveries({ ...filter, until }, { limit: pageRows, cursor, signal });
  });
  for await (const { data } of pages) {
    if (data.length === 0) yield [];
    for (const portion of portionsOf(data)) {
      const bodies = await store.getDeliveryBodies(portion.map(({ id }) => id));
      yield portion.map((delivery) => {
        const body = bodies.get(delivery.id) ?? null;
        return { ...delivery, bytes: body && Buffer.from(body) };
      });
    }
  }
}

/** One line of the export. */
export function toExportLine({ bytes, ...delivery }: RecordedDelivery): string {
  const line: Omit<RecordedDeliveryLine, "body"> = delivery;
  const body = bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  // Base64 needs no escapes. Most bodies are larger than the rest of the line.
  return `${JSON.stringify(line).slice(0, -1)},"body":${body === null ? "null" : `"${body}"`}}\n`;
}

/** The delivery of a line. */
export function fromExportLine({ body, ...delivery }: RecordedDeliveryLine): RecordedDelivery {
  return { ...delivery, bytes: body === null ? null : Buffer.from(body, "base64") };
}

function portionsOf(deliveries: readonly DeliverySummary[]): DeliverySummary[][] {
  const portions: DeliverySummary[][] = [];
  let bytes = Infinity;
  for (const delivery of deliveries) {
    bytes += delivery.bodyBytes;
    const last = portions.at(-1);
    if (last && bytes <= maxPortionBytes) last.push(delivery);
    else {
      portions.push([delivery]);
      bytes = delivery.bodyBytes;
    }
  }
  return portions;
}
