import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DeliveryOutcome, VerdictOutcome } from "../../contract/delivery.ts";
import { ownHeaders } from "../../contract/own-headers.ts";
import type { Store } from "../../ports/store.ts";
import type { DeliveryFilter, HeldFilter } from "../../ports/store/delivery-store.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import {
  aDelivery,
  aRun,
  aVerdict,
  claimOne,
  epoch,
  kindsOf,
  type OpenStore,
  readPages,
  removeDeliveries,
} from "./factories.ts";

const minute = 60_000;
const hour = 60 * minute;

const miss = aVerdict({
  outcome: "request_mismatch",
  reasons: [{ pointer: "/email", code: "invalid_type", message: "No", expected: "string", actual: "5" }],
});

const limitedRun = (deliveryId: string) => aRun({ deliveryId, maxQueued: 1 });

/** The tests of held deliveries that every store passes. */
export function heldContract(open: OpenStore): void {
  describe("a held delivery", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    async function hold(given: Parameters<typeof aDelivery>[0] = {}, key: string | null = null) {
      const delivery = aDelivery({ outcome: "held", verdicts: [miss], keyId: "key_1", ...given });
      await store.acceptDelivery({ delivery, runs: [], idempotency: key === null ? null : { key, notBefore: 0 } });
      return delivery;
    }

    const release = (id: string, run: NewRun, at = epoch + hour) =>
      store.releaseDelivery({
        id,
        runs: [run],
        verdicts: [aVerdict({ runId: run.id })],
        unlistedVerdicts: [],
        at,
      });

    const find = async (filter: DeliveryFilter) =>
      (await readPages((cursor) => store.listDeliveries(filter, { limit: 10, cursor }))).flat().map(({ id }) => id);

    it("is released with its runs, its new verdicts and the time, and its body and headers stay", async () => {
      const delivery = await hold();
      const run = aRun({ deliveryId: delivery.id, createdAt: epoch + hour });
      expect(await release(delivery.id, run)).toEqual({ kind: "released" });
      const stored = await store.getDelivery(delivery.id);
      expect(stored).toMatchObject({
        outcome: "accepted",
        responseStatus: 202,
        verdicts: [{ outcome: "matched", runId: run.id, reasons: [] }],
        headers: { ...delivery.headers, [ownHeaders.releasedAt]: "2026-01-01T01:00:00.000Z" },
        body: Buffer.from(delivery.body ?? "").toString("base64"),
      });
      // The key that sent the delivery may read its runs.
      expect(await store.getRun(run.id)).toMatchObject({
        status: "queued",
        deliveryId: delivery.id,
        keyId: "key_1",
        payload: run.payload,
      });
      expect(await kindsOf(store, run.id)).toEqual(["queued"]);
      expect(await claimOne(store, { now: epoch + 2 * hour })).toMatchObject({ id: run.id });
    });

    it("is released once by many concurrent calls, with its runs or not at all", async () => {
      const delivery = await hold();
      const runs = Array.from({ length: 8 }, () => aRun({ deliveryId: delivery.id }));
      const results = await Promise.all(runs.map((run) => release(delivery.id, run)));
      expect(results.map(({ kind }) => kind).sort()).toEqual([...Array(7).fill("not_held"), "released"]);
      const started = (
        await readPages((cursor) => store.listRuns({ delivery: delivery.id }, { limit: 10, cursor }))
      ).flat();
      const first = runs[results.findIndex(({ kind }) => kind === "released")];
      expect(started.map(({ id }) => id)).toEqual([first?.id]);

      const other = await hold();
      await expect(release(other.id, aRun({ id: first?.id ?? "", deliveryId: other.id }))).rejects.toThrow(/unique/i);
      expect(await store.getDelivery(other.id)).toMatchObject({ outcome: "held", verdicts: [miss] });
    });

    it.each<DeliveryOutcome>(["accepted", "skipped", "rejected", "repeated"])(
      "is the only one that can be released: not one that is %s",
      async (outcome) => {
        const delivery = aDelivery({ outcome });
        await store.recordDelivery(delivery);
        const run = aRun({ deliveryId: delivery.id });
        expect(await release(delivery.id, run)).toEqual({ kind: "not_held" });
        expect(await release("dlv_unknown", run)).toEqual({ kind: "not_held" });
        expect(await store.getRun(run.id)).toBeNull();
      },
    );

    it("stays held if a queue is full, and is released when there is capacity again", async () => {
      const [first, second] = [await hold(), await hold()];
      const results = await Promise.all([first, second].map(({ id }) => release(id, limitedRun(id))));
      expect(results.map(({ kind }) => kind)).toEqual(["released", "full"]);
      expect(await store.getDelivery(second.id)).toMatchObject({ outcome: "held" });
      await claimOne(store, { now: epoch + 2 * hour });
      expect(await release(second.id, limitedRun(second.id))).toEqual({ kind: "released" });
    });

    it("reserves its idempotency key: a repeat finds no runs before the release, and its runs afterwards", async () => {
      const delivery = await hold({}, "evt_1");
      const repeat = () =>
        store.acceptDelivery({
          delivery: aDelivery({ receivedAt: epoch + minute }),
          runs: [aRun()],
          idempotency: { key: "evt_1", notBefore: 0 },
        });
      expect(await repeat()).toEqual({ kind: "repeated", deliveryId: delivery.id, runs: [] });
      const run = aRun({ deliveryId: delivery.id });
      await release(delivery.id, run);
      expect(await repeat()).toMatchObject({ kind: "repeated", deliveryId: delivery.id, runs: [{ runId: run.id }] });
      const other = aDelivery({ body: Buffer.from("{}") });
      expect(
        await store.acceptDelivery({ delivery: other, runs: [], idempotency: { key: "evt_1", notBefore: 0 } }),
      ).toEqual({ kind: "conflict", deliveryId: delivery.id });
    });

    it("is listed, searched and counted by its current outcome and verdicts", async () => {
      const early = await hold({ receivedAt: epoch });
      const late = await hold({ receivedAt: epoch + hour });
      expect(await find({ outcome: "held" })).toEqual([late.id, early.id]);
      expect(await store.countHeld()).toBe(2);
      await release(early.id, aRun({ deliveryId: early.id }));
      expect(await find({ outcome: "held" })).toEqual([late.id]);
      expect(await find({ outcome: "accepted" })).toEqual([early.id]);
      expect(await store.countHeld()).toBe(1);
      const byVerdict = (outcome: VerdictOutcome) =>
        find({ endpoint: "signup", verdict: { trigger: "new-signup", outcomes: [outcome] } });
      expect(await byVerdict("matched")).toEqual([early.id]);
      expect(await byVerdict("request_mismatch")).toEqual([late.id]);

      const window = { since: epoch, until: epoch + 2 * hour, bucketMs: 3_600_000 as const };
      const counted = (await store.countDeliveries({ ...window, endpoints: ["signup"] })).filter(
        ({ count }) => count > 0,
      );
      expect(counted.map(({ at, outcome, count }) => [at, outcome, count])).toEqual([
        [epoch, "accepted", 1],
        [epoch + hour, "held", 1],
      ]);
      const { verdicts } = await store.countVerdicts({ ...window, endpoints: ["signup"] });
      expect(verdicts.map(({ outcome, count }) => [outcome, count])).toEqual([
        ["matched", 1],
        ["request_mismatch", 1],
      ]);
    });

    it("is listed oldest first, by endpoint and time, each once although earlier ones are released meanwhile", async () => {
      const held: string[] = [];
      for (let n = 0; n < 7; n += 1)
        held.push((await hold({ receivedAt: epoch + (n >> 1) * minute, endpoint: n === 3 ? "other" : "signup" })).id);
      await store.recordDelivery(aDelivery({ outcome: "skipped" }));
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: { data: string[]; nextCursor: string | null } = await store.listHeld({}, { limit: 2, cursor });
        for (const id of page.data) await release(id, aRun({ deliveryId: id }));
        seen.push(...page.data);
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual(held);
      const again = await hold({ receivedAt: epoch + minute, endpoint: "other" });
      await hold({ receivedAt: epoch + minute });
      const heldIn = async (filter: HeldFilter) => (await store.listHeld(filter, { limit: 10, cursor: null })).data;
      expect(await heldIn({ endpoint: "other" })).toEqual([again.id]);
      expect(await heldIn({ endpoint: "unknown" })).toEqual([]);
      expect(await heldIn({ since: epoch + minute, until: epoch + minute + 1 })).toHaveLength(2);
      expect(await heldIn({ since: epoch + minute + 1 })).toEqual([]);
      expect(await heldIn({ until: epoch + minute })).toEqual([]);
    });

    it("is removed at the same age as any other, and after its release with its runs", async () => {
      const held = await hold();
      const skipped = aDelivery({ outcome: "skipped" });
      await store.recordDelivery(skipped);
      const remove = (before: number) => removeDeliveries(store, { before, keysSince: before });
      expect(await remove(epoch)).toBe(0);
      expect(await remove(epoch + 1)).toBe(2);
      expect(await release(held.id, aRun({ deliveryId: held.id }))).toEqual({ kind: "not_held" });

      const released = await hold();
      const run = aRun({ deliveryId: released.id });
      await release(released.id, run);
      expect(await remove(epoch + 1)).toBe(0);
      expect(await store.getRun(run.id)).not.toBeNull();
    });
  });
}
