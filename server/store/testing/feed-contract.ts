import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FeedEntry, FeedPosition } from "../../ports/store/feed-store.ts";
import type { Store } from "../../ports/store.ts";
import { aDelivery, aRun, epoch, type OpenStore, removeDeliveries } from "./factories.ts";

const minute = 60_000;
const begin: FeedPosition = { number: 0, deliveryId: null };

/** Reads on from a position to the end. */
export async function readOn(store: Store, after: FeedPosition, endpoints: string[] | null = null) {
  const entries: FeedEntry[] = [];
  for (let at = after; ;) {
    const page = await store.readFeed({ after: at, endpoints });
    entries.push(...page.entries);
    at = page.end;
    if (page.isAtEnd) return { entries, end: at, ids: entries.map(({ delivery }) => delivery.id) };
  }
}

/** The tests of the feed that every store passes. */
export function feedContract(open: OpenStore): void {
  describe("the feed", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const record = async (given: Parameters<typeof aDelivery>[0] = {}): Promise<string> => {
      const delivery = aDelivery(given);
      await store.recordDelivery(delivery);
      return delivery.id;
    };

    it("has the deliveries in the order of their commits, whenever they were received, with the bytes of their bodies", async () => {
      const bodies = [Buffer.from([0, 255, 10]), Buffer.alloc(0), null];
      const ids = [];
      for (const [at, body] of bodies.entries()) ids.push(await record({ body, receivedAt: epoch - at * minute }));
      const { entries, end } = await readOn(store, begin);
      expect(entries.map(({ delivery }) => delivery.id)).toEqual(ids);
      expect(entries.map(({ body }) => body && [...body])).toEqual([[0, 255, 10], [], null]);
      for (const { delivery, position } of entries) {
        const { body: _, json: __, ...summary } = (await store.getDelivery(delivery.id)) ?? { body: null, json: null };
        expect(delivery).toEqual(summary);
        expect(position.deliveryId).toBe(delivery.id);
      }
      expect(end).toEqual(entries.at(-1)?.position);
    });

    it("continues after any position, and has nothing after its end until the next commit", async () => {
      const ids = [await record(), await record(), await record()];
      const { entries, end } = await readOn(store, begin);
      for (const [at, { position }] of entries.entries())
        expect((await readOn(store, position)).ids).toEqual(ids.slice(at + 1));
      expect(await store.readFeed({ after: end, endpoints: null })).toEqual({ entries: [], end, isAtEnd: true });
      const next = await record();
      expect((await readOn(store, end)).ids).toEqual([next]);
    });

    it("of one endpoint moves past the deliveries of the others", async () => {
      const one = await record({ endpoint: "one" });
      const other = await record({ endpoint: "other" });
      expect((await readOn(store, begin, ["one"])).ids).toEqual([one]);
      expect((await readOn(store, begin, ["one"])).end.deliveryId).toBe(other);
      expect((await readOn(store, begin, ["unknown"])).ids).toEqual([]);
      expect((await readOn(store, begin, ["unknown"])).end.deliveryId).toBe(other);
    });

    it("of several endpoints has those of each, in one order", async () => {
      const ids = [];
      for (const endpoint of ["one", "other", "two", "one"]) ids.push(await record({ endpoint }));
      const [first, , second, third] = ids;
      expect((await readOn(store, begin, ["two", "unknown", "one"])).ids).toEqual([first, second, third]);
    });

    it("starts at the newest delivery, or before the first one that was received since a time", async () => {
      expect(await store.findFeedStart(null)).toEqual(begin);
      expect(await store.findFeedStart(epoch)).toEqual(begin);
      const ids = [];
      for (const at of [0, 2, 1, 3]) ids.push(await record({ receivedAt: epoch + at * minute }));
      const after = async (since: number | null) => (await readOn(store, await store.findFeedStart(since))).ids;
      expect(await after(null)).toEqual([]);
      expect(await after(epoch)).toEqual(ids);
      expect(await after(epoch + minute)).toEqual(ids.slice(1));
      expect(await after(epoch + 3 * minute)).toEqual(ids.slice(3));
      expect(await after(epoch + 4 * minute)).toEqual([]);
    });

    it("is read in pages that bound the bodies in memory, and one body may be larger", async () => {
      const mebibyte = 1024 * 1024;
      const sizes = [1, 2, 1, 2, 6, 1];
      const ids = [];
      for (const size of sizes) ids.push(await record({ body: Buffer.alloc(size * mebibyte) }));
      const pages: string[][] = [];
      for (let after = begin; ;) {
        const page = await store.readFeed({ after, endpoints: null });
        pages.push(page.entries.map(({ delivery }) => delivery.id));
        after = page.end;
        if (page.isAtEnd) break;
      }
      expect(pages.flat()).toEqual(ids);
      expect(pages.map(({ length }) => length)).toEqual([3, 1, 1, 1]);
    });

    it("continues after removed deliveries", async () => {
      const removed = [await record({ receivedAt: epoch }), await record({ receivedAt: epoch })];
      const { entries } = await readOn(store, begin);
      const kept = [await record({ receivedAt: epoch + minute }), await record({ receivedAt: epoch + minute })];
      await removeDeliveries(store, { before: epoch + 1, keysSince: epoch });
      for (const after of [begin, ...entries.map(({ position }) => position)])
        expect((await readOn(store, after)).ids).toEqual(kept);
      expect(removed).toHaveLength(2);
    });

    it("knows its positions, also those of removed deliveries, and no others", async () => {
      await record({ receivedAt: epoch });
      await record({ receivedAt: epoch + minute });
      const { entries, end } = await readOn(store, begin);
      for (const position of [begin, ...entries.map(({ position }) => position)])
        expect(await store.hasFeedPosition(position)).toBe(true);
      expect(await store.hasFeedPosition({ number: end.number, deliveryId: aDelivery().id })).toBe(false);
      expect(await store.hasFeedPosition({ number: end.number + 1_000, deliveryId: end.deliveryId })).toBe(false);
      await removeDeliveries(store, { before: epoch + 2 * minute, keysSince: epoch + 2 * minute });
      for (const position of [begin, ...entries.map(({ position }) => position)])
        expect(await store.hasFeedPosition(position)).toBe(true);
    });

    it("changes nothing in the store", async () => {
      const delivery = aDelivery();
      await store.acceptDelivery({ delivery, runs: [aRun({ deliveryId: delivery.id })], idempotency: null });
      const [mark, run] = [await store.mark(), await store.listRuns({}, { limit: 10, cursor: null })];
      await readOn(store, await store.findFeedStart(epoch));
      await store.hasFeedPosition(await store.findFeedStart(null));
      expect([await store.mark(), await store.listRuns({}, { limit: 10, cursor: null })]).toEqual([mark, run]);
    });

    it("gives a reader every delivery once, in one order, while any number are committed", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ fails: fc.boolean(), hasRun: fc.boolean(), pauses: fc.boolean() }), {
            minLength: 1,
            maxLength: 40,
          }),
          async (commits) => {
            const from = await store.findFeedStart(null);
            const taken = aRun();
            await store.createRuns([taken]);
            const accepted: string[] = [];
            let isWriting = true;
            const read = (async () => {
              const ids: string[] = [];
              for (let after = from; ;) {
                const wasWriting = isWriting;
                const page = await store.readFeed({ after, endpoints: null });
                ids.push(...page.entries.map(({ delivery }) => delivery.id));
                after = page.end;
                if (page.isAtEnd && !wasWriting) return ids;
                await new Promise((resolve) => void setImmediate(resolve));
              }
            })();
            const writes = [];
            for (const { fails, hasRun, pauses } of commits) {
              const delivery = aDelivery();
              const given = { deliveryId: delivery.id, ...(fails && { id: taken.id }) };
              const runs = hasRun || fails ? [aRun(given)] : [];
              const write = store.acceptDelivery({ delivery, runs, idempotency: null }).then(
                () => void accepted.push(delivery.id),
                () => {},
              );
              writes.push(write);
              if (pauses) await write;
            }
            await Promise.all(writes);
            isWriting = false;
            const ids = await read;
            expect(ids.toSorted()).toEqual(accepted.toSorted());
            expect((await readOn(store, from)).ids).toEqual(ids);
          },
        ),
        { numRuns: 15 },
      );
    });
  });
}
