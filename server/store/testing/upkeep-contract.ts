import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunTransition } from "../../ports/store/engine-store.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aDelivery, aRun, aVerdict, epoch, type OpenStore, removeDeliveries, toTheEnd } from "./factories.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** The tests of retention that every store passes. */
export function upkeepContract(open: OpenStore): void {
  describe("upkeep", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const removeBefore = (before: number, keysSince = Number.NEGATIVE_INFINITY) =>
      removeDeliveries(store, { before, keysSince });
    const removeRuns = (before: number) =>
      toTheEnd((after: { at: number; id: string } | null) => store.removeOldRuns({ before, after }));

    it("keeps what was recorded of the clock", async () => {
      expect(await store.readClockWatch()).toBeNull();
      for (const watch of [
        { seenAt: epoch, trustedAt: null, waitingSince: epoch },
        { seenAt: epoch + day, trustedAt: epoch + day, waitingSince: null },
      ]) {
        await store.saveClockWatch(watch);
        expect(await store.readClockWatch()).toEqual(watch);
      }
    });

    it("keeps the time up to which deliveries were removed by size, also when the record of the clock changes", async () => {
      const watch = { seenAt: epoch, trustedAt: null, waitingSince: epoch };
      expect(await store.readRemovedBefore()).toBe(0);
      await store.saveClockWatch(watch);
      expect(await store.readRemovedBefore()).toBe(0);
      await store.saveRemovedBefore(epoch);
      await store.saveClockWatch({ ...watch, seenAt: epoch + day });
      expect(await store.readRemovedBefore()).toBe(epoch);
      expect(await store.readClockWatch()).toEqual({ ...watch, seenAt: epoch + day });
    });

    it("removes an old delivery with its ended runs, their timelines and steps, and its idempotency key", async () => {
      const delivery = aDelivery();
      const runs = [aRun({ deliveryId: delivery.id }), aRun({ deliveryId: delivery.id })];
      await store.acceptDelivery({ delivery, runs, idempotency: { key: "k", notBefore: 0 } });
      await endAll(store, epoch + 1000);
      await removeBefore(epoch + day, epoch + day);
      expect(await store.getDelivery(delivery.id)).toBeNull();
      for (const { id } of runs) {
        expect(await store.getRun(id)).toBeNull();
        expect(await store.listTimeline(id, { after: 0, limit: 10 })).toEqual([]);
        expect(await store.loadSteps(id)).toEqual([]);
      }
      const again = aDelivery({ receivedAt: epoch + day });
      expect(
        await store.acceptDelivery({ delivery: again, runs: [], idempotency: { key: "k", notBefore: 0 } }),
      ).toEqual({ kind: "accepted" });
    });

    it("a redelivery and replays during the removal are recorded completely, and refer to the removed rows", async () => {
      const delivery = aDelivery();
      const run = aRun({ deliveryId: delivery.id });
      await store.acceptDelivery({ delivery, runs: [run], idempotency: null });
      await endAll(store, epoch + 1000);
      const again = aDelivery({ receivedAt: epoch + day, redeliveryOf: delivery.id });
      const replays = [
        aRun({ deliveryId: again.id, createdAt: epoch + day }),
        aRun({ replayOf: run.id, createdAt: epoch + day }),
      ] as const;
      const [, accepted] = await Promise.all([
        removeBefore(epoch + day),
        store.acceptDelivery({ delivery: again, runs: [replays[0]], idempotency: null }),
        store.createRuns([replays[1]]),
      ]);
      expect([accepted, await store.getDelivery(delivery.id), await store.getRun(run.id)]).toEqual([
        { kind: "accepted" },
        null,
        null,
      ]);
      expect([
        (await store.getDelivery(again.id))?.redeliveryOf,
        (await store.getRun(replays[0].id))?.deliveryId,
        (await store.getRun(replays[1].id))?.replayOf,
      ]).toEqual([delivery.id, again.id, run.id]);
    });

    it("a run of a delivery that was removed meanwhile is rejected, and the other writes of its batch succeed", async () => {
      const delivery = aDelivery();
      await store.recordDelivery(delivery);
      const lost = Array.from({ length: 4 }, () => aRun({ deliveryId: delivery.id, createdAt: epoch + day }));
      const others = lost.map(() => aRun({ createdAt: epoch + day }));
      await removeBefore(epoch + day);
      const outcomes = await Promise.allSettled([
        ...lost.map((run) => store.createRuns([run])),
        ...others.map((run) => store.createRuns([run])),
      ]);
      expect(outcomes.slice(0, 4)).toEqual(
        lost.map(() => ({ status: "rejected", reason: expect.objectContaining({ code: "not_found" }) })),
      );
      expect((await store.listRuns({}, { limit: 10, cursor: null })).data.map(({ id }) => id).toSorted()).toEqual(
        others.map(({ id }) => id).toSorted(),
      );
    });

    it("every batch is limited, and the next one continues within a run with a long timeline", async () => {
      const run = aRun();
      await store.createRuns([run]);
      const [claimed] = await store.claimRuns(aClaim());
      if (!claimed) throw new Error("the run is due");
      const entries = Array.from({ length: 3000 }, (_, at) => ({
        at: epoch + at,
        kind: "log" as const,
        attempt: 1,
        level: "info" as const,
        message: `${at}`,
      }));
      await store.writeProgress({
        runId: run.id,
        token: claimed.token,
        now: epoch + 1000,
        entries,
        transition: { to: "completed", output: null },
      });
      const first = await store.removeOldRuns({ before: epoch + day, after: null });
      expect(first).toMatchObject({ removed: 0, next: expect.anything() });
      expect(await store.getRun(run.id)).not.toBeNull();
      await removeRuns(epoch + day);
      expect(await store.getRun(run.id)).toBeNull();
    });

    it("keeps a delivery that a key still refers to, regardless of later ones", async () => {
      const delivery = aDelivery();
      await store.acceptDelivery({ delivery, runs: [], idempotency: { key: "k", notBefore: 0 } });
      await removeBefore(epoch + day, epoch);
      expect(await store.getDelivery(delivery.id)).not.toBeNull();
      const repeat = await store.acceptDelivery({
        delivery: aDelivery(),
        runs: [],
        idempotency: { key: "k", notBefore: 0 },
      });
      expect(repeat).toMatchObject({ kind: "repeated", deliveryId: delivery.id });
    });

    it("removes keys that are past their window, and no others", async () => {
      for (const [n, at] of [epoch, epoch + hour].entries())
        await store.acceptDelivery({
          delivery: aDelivery({ receivedAt: at }),
          runs: [],
          idempotency: { key: `k${n}`, notBefore: 0 },
        });
      const removed = await toTheEnd((after: { endpoint: string; key: string } | null) =>
        store.removeOldKeys({ before: epoch + 1, after }),
      );
      expect(removed).toBe(1);
      const again = await Promise.all(
        ["k0", "k1"].map((key) =>
          store.acceptDelivery({ delivery: aDelivery(), runs: [], idempotency: { key, notBefore: 0 } }),
        ),
      );
      expect(again.map(({ kind }) => kind)).toEqual(["accepted", "repeated"]);
    });

    it("returns the time of the oldest of the newest deliveries", async () => {
      for (const n of [0, 1, 2]) await store.recordDelivery(aDelivery({ receivedAt: epoch + n }));
      expect(await store.findOldestOf(2)).toBe(epoch + 1);
      expect(await store.findOldestOf(3)).toBeNull();
    });

    it("does not count requests that were rejected with 401", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.boolean(), { minLength: 1, maxLength: 24 }),
          fc.integer({ min: 1, max: 8 }),
          async (counted, newest) => {
            const fresh = await open();
            const times = await Promise.all(
              counted.map(async (counts, n) => {
                const rejected = { outcome: "rejected", responseStatus: 401 } as const;
                await fresh.recordDelivery(aDelivery({ receivedAt: epoch + n, ...(counts ? {} : rejected) }));
                return counts ? [epoch + n] : [];
              }),
            );
            const kept = times.flat().reverse();
            const found = await fresh.findOldestOf(newest);
            await fresh.close();
            // Nothing that counts is between the time and the oldest one that is kept.
            expect(found === null ? kept.slice(0, newest) : kept.filter((at) => at >= found)).toEqual(
              kept.slice(0, newest),
            );
            expect(found === null).toBe(kept.length <= newest);
          },
        ),
        { numRuns: 15 },
      );
    });

    it("removes rejected requests by their ids, and no delivery that has a run", async () => {
      const rejected = [aDelivery({ outcome: "rejected" }), aDelivery({ outcome: "rejected" })];
      for (const delivery of rejected) await store.recordDelivery(delivery);
      const accepted = aDelivery();
      const runs = [aRun({ deliveryId: accepted.id })];
      await store.acceptDelivery({ delivery: accepted, runs, idempotency: null });
      const ids = [...rejected.slice(1), accepted].map(({ id }) => id);
      expect(await store.removeRejected([...ids, "dlv_01KGA4B7S0E1X8Z3QK5V9M2T6N"])).toBe(1);
      const { data } = await store.listDeliveries({}, { limit: 10, cursor: null });
      expect(data.map(({ id }) => id).toSorted()).toEqual([rejected[0]?.id, accepted.id].toSorted());
    });

    it("removes workers that were not seen, except those that have a run", async () => {
      const worker = { pid: 1, host: "h", version: "v", startedAt: epoch, seenAt: epoch };
      for (const id of ["wrk_a", "wrk_b", "wrk_c"])
        await store.heartbeatWorker({ ...worker, id, seenAt: id === "wrk_c" ? epoch + day : epoch });
      await store.createRuns([aRun()]);
      await store.claimRuns(aClaim({ workerId: "wrk_a" }));
      expect(await store.removeOldWorkers(epoch + 1)).toBe(1);
      expect((await store.listWorkers({ seenSince: 0 })).map(({ id }) => id).sort()).toEqual(["wrk_a", "wrk_c"]);
    });

    it("removes old entries of the audit log in batches, and no others", async () => {
      const entry = (n: number, at: number) =>
        store.recordAudit({
          id: `aud_${n}_${at}`,
          at,
          action: "session.rejected",
          actor: { kind: "anonymous", id: null, name: null },
          subject: `${n}`,
          address: null,
          detail: null,
        });
      await Promise.all(Array.from({ length: 1_200 }, (_, n) => entry(n, epoch + n)));
      await entry(0, epoch + day);
      const first = await store.removeOldAudit({ before: epoch + day });
      expect([first.removed < 1_200, first.next]).toEqual([true, true]);
      expect(first.removed + (await toTheEnd(() => store.removeOldAudit({ before: epoch + day })))).toBe(1_200);
      expect((await store.listAudit({}, { limit: 100, cursor: null })).data.map(({ at }) => Date.parse(at))).toEqual([
        epoch + day,
      ]);
    });

    it("removes expired sessions and unfinished sign-ins, and no others", async () => {
      const [createdAt, updatedAt] = [new Date(epoch), new Date(epoch)];
      await store.insertRow("user", {
        id: "per_1",
        name: "Ada",
        email: "ada@example.com",
        role: "viewer",
        createdAt,
        updatedAt,
      });
      for (const at of [epoch, epoch + day]) {
        await store.insertRow("session", {
          id: `ses_${at}`,
          userId: "per_1",
          token: `${at}`,
          createdAt,
          updatedAt,
          expiresAt: new Date(at),
        });
        await store.insertRow("verification", {
          id: `ver_${at}`,
          identifier: `${at}`,
          value: "",
          createdAt,
          updatedAt,
          expiresAt: new Date(at),
        });
      }
      expect(await toTheEnd(() => store.removeExpiredSignIns({ before: epoch + 1 }))).toBe(2);
      for (const [table, prefix] of [
        ["session", "ses"],
        ["verification", "ver"],
      ] as const) {
        const rows = await store.findRows({ table, where: [], limit: 10, offset: 0, sortBy: null });
        expect(rows.map(({ id }) => id)).toEqual([`${prefix}_${epoch + day}`]);
      }
    });

    it("keeps recent counts when it removes old counters, and rare verdicts are still found", async () => {
      const verdicts = [aVerdict()];
      for (const at of [epoch, epoch + 5 * day]) await store.recordDelivery(aDelivery({ receivedAt: at, verdicts }));
      await toTheEnd((after: { bucketMs: number; endpoint: string; attachmentId: string } | null) =>
        store.removeOldCounters({ before: epoch + 2 * day, after }),
      );
      const counts = await store.countDeliveries({
        since: epoch + 4 * day,
        until: epoch + 6 * day,
        bucketMs: hour,
        endpoints: null,
      });
      expect(counts).toEqual([{ endpoint: "", at: epoch + 5 * day, outcome: "accepted", count: 1 }]);
      const found = await store.listDeliveries(
        { endpoint: "signup", verdict: { trigger: "new-signup", outcomes: ["matched"] } },
        { limit: 10, cursor: null },
      );
      expect(found.data.map(({ receivedAt }) => Date.parse(receivedAt))).toEqual([epoch + 5 * day, epoch]);
    });

    it("every open or recently ended run is kept completely with its delivery; all other old data is removed", async () => {
      const fates = fc.constantFrom<"queued" | "running" | "sleeping" | "ended" | "endedLate" | "failed">(
        "queued",
        "running",
        "sleeping",
        "ended",
        "endedLate",
        "failed",
      );
      const made = fc.array(
        fc.record({
          ageHours: fc.integer({ min: 0, max: 48 }),
          hasDelivery: fc.boolean(),
          runs: fc.array(fates, { maxLength: 3 }),
        }),
        { maxLength: 6 },
      );
      await fc.assert(
        fc.asyncProperty(made, async (all) => {
          const before = epoch + day;
          const expected: { id: string; stays: boolean; read: (id: string) => Promise<unknown> }[] = [];
          for (const { ageHours, hasDelivery, runs } of all) {
            const at = epoch + ageHours * hour;
            const delivery = aDelivery({ receivedAt: at });
            const created = runs.map((fate) => ({
              fate,
              run: aRun({ deliveryId: hasDelivery ? delivery.id : null, createdAt: at, trigger: fate }),
            }));
            if (hasDelivery)
              await store.acceptDelivery({ delivery, runs: created.map(({ run }) => run), idempotency: null });
            else await store.createRuns(created.map(({ run }) => run));
            for (const { fate, run } of created) await meet(store, run.id, { fate, at, late: before });
            const delivered = at >= before || runs.some(isNeeded);
            if (hasDelivery) expected.push({ id: delivery.id, stays: delivered, read: (id) => store.getDelivery(id) });
            for (const { fate, run } of created)
              expected.push({
                id: run.id,
                stays: hasDelivery ? delivered : at >= before || isNeeded(fate),
                read: (id) => store.getRun(id),
              });
          }
          const timelines = async () =>
            Promise.all(
              expected.filter(({ stays }) => stays).map(({ id }) => store.listTimeline(id, { after: 0, limit: 100 })),
            );
          const whole = await timelines();
          await removeBefore(before);
          await removeRuns(before);
          for (const { id, stays, read } of expected) expect((await read(id)) !== null).toBe(stays);
          expect(await timelines()).toEqual(whole);
        }),
        { numRuns: 40 },
      );
    });
  });
}

const isNeeded = (fate: Fate) => fate !== "ended" && fate !== "failed";

type Fate = "queued" | "running" | "sleeping" | "ended" | "endedLate" | "failed";

/** Brings a queued run to its fate. Other queued runs return to the queue. */
async function meet(store: Store, id: string, p: { fate: Fate; at: number; late: number }): Promise<void> {
  const { fate, at, late } = p;
  if (fate === "queued") return;
  const claimed = await store.claimRuns(aClaim({ limit: 1000, now: late, leaseMs: 1000 * day }));
  await Promise.all(
    claimed.map(async (run) => {
      const isMeant = run.id === id;
      if (isMeant && fate === "running") return;
      const transition: RunTransition = isMeant ? endOf(fate, late) : { to: "queued" };
      await store.writeProgress({
        runId: run.id,
        token: run.token,
        now: fate === "endedLate" ? late : Math.min(at, late - 1),
        entries: [],
        transition,
      });
    }),
  );
}

function endOf(fate: Fate, late: number): RunTransition {
  if (fate === "sleeping") return { to: "waiting", reason: "sleep", availableAt: late + 100 * day };
  return fate === "failed" ? { to: "failed", error: null } : { to: "completed", output: null };
}

async function endAll(store: Store, now: number): Promise<void> {
  for (const { id, token } of await store.claimRuns(aClaim({ now })))
    await store.writeProgress({
      runId: id,
      token,
      now,
      entries: [],
      steps: [
        { name: "s", kind: "step", attempt: 1, startedAt: now, finishedAt: now, until: null, result: 1, sequence: 1 },
      ],
      transition: { to: "completed", output: null },
    });
}
