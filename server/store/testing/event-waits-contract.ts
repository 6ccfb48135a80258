import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import type { EventMatch } from "../../contract/run.ts";
import { newId } from "../../domain/ids.ts";
import { type EventResult, isMatch, unknownPathsMs } from "../../domain/runs/event-waits.ts";
import type { AcceptResult } from "../../ports/store/delivery-store.ts";
import type { ClaimedRun, EventWait, StepRecord } from "../../ports/store/engine-store.ts";
import type { Store } from "../../ports/store.ts";
import { maxWokenAtOnce } from "../core/event-waits.ts";
import { aClaim, aDelivery, aRun, claimOne, epoch, kindsOf, type OpenStore } from "./factories.ts";

const source = "order-shipped";
const day = 86_400_000;

const aWait = (given: Partial<EventWait> = {}): EventWait => ({
  step: "shipped",
  branch: "",
  source,
  match: { "/order": "A1" },
  since: epoch,
  until: epoch + day,
  ...given,
});

/** Runs that wait for events, as every store keeps them. */
export function eventWaitsContract(open: OpenStore): void {
  describe("runs that wait for events", () => {
    let store: Store;
    let now: number;
    beforeEach(async () => {
      store = await open();
      now = epoch;
      others = [];
    });
    afterEach(() => store.close());

    const aStep = ({ step, until }: EventWait): StepRecord => ({
      name: step,
      kind: "event",
      attempt: 1,
      startedAt: now,
      finishedAt: null,
      until,
      result: null,
      sequence: null,
    });
    /** Runs that were due when another one was claimed. */
    let others: string[] = [];
    const start = async () => {
      const { id } = aRun();
      await store.createRuns([aRun({ id, createdAt: (now += 1) })]);
      const claimed = await store.claimRuns(aClaim({ now: (now += 1), limit: 100 }));
      const run = claimed.find((one) => one.id === id);
      if (!run) throw new Error("the run was to be due");
      others.push(...claimed.flatMap((one) => (one === run ? [] : [one.id])));
      return run;
    };
    const suspend = ({ id, token }: ClaimedRun, waits: readonly EventWait[], availableAt = epoch + 2 * day) =>
      store.writeProgress({
        runId: id,
        token,
        now: (now += 1),
        entries: [],
        steps: [...new Map(waits.map((wait) => [wait.step, aStep(wait)])).values()],
        waits,
        transition: { to: "waiting", reason: "sleep", availableAt },
      });
    /** Nothing was received before. */
    const finishSearches = async (runId: string) => {
      for (const { step } of await store.listWaitsToSearch({ now, limit: 100, runId }))
        await store.finishSearch({ runId, step, isFinal: true, now });
    };
    /** A run that waits, after the search. */
    const startWaiting = async (...given: Partial<EventWait>[]) => {
      const run = await start();
      await suspend(run, given.length === 0 ? [aWait()] : given.map((one) => aWait(one)));
      await finishSearches(run.id);
      return run;
    };
    const deliver = async (payload: Json, more: { source?: string; key?: string } = {}) => {
      const id = newId("dlv");
      const result = await store.acceptDelivery({
        delivery: aDelivery({ id, receivedAt: (now += 1), outcome: "skipped", responseStatus: 200 }),
        runs: [],
        idempotency: more.key === undefined ? null : { key: more.key, notBefore: 0 },
        delivered: {
          events: [{ source: more.source ?? source, payload }],
          ifWoken: { outcome: "accepted", responseStatus: 202, problem: null },
        },
      });
      return { id, receivedAt: now, result, woke: wokenBy(result) };
    };
    const stepOf = async (runId: string, name = "shipped") => {
      const [step] = await store.listSteps(runId, { name, after: 0, limit: 1 });
      return step;
    };
    const resultOf = async (runId: string, name?: string) => (await stepOf(runId, name))?.result as EventResult | null;
    const due = async () => (await store.claimRuns(aClaim({ now: (now += 1) }))).map(({ id }) => id);

    it("are woken by a delivery that matches, and by no other", async () => {
      const run = await startWaiting();
      const payloads: Json[] = [{ order: "A2" }, { order: 1 }, {}, { order: { id: "A1" } }, null, "A1"];
      for (const payload of payloads) expect((await deliver(payload)).woke).toEqual([]);
      expect((await deliver({ order: "A1" }, { source: "order-canceled" })).woke).toEqual([]);
      expect(await due()).toEqual([]);
      const { id, woke, receivedAt } = await deliver({ order: "A1", parcel: 7 });
      expect(woke).toEqual([run.id]);
      expect(await due()).toEqual([run.id]);
      const result: EventResult = { branch: "", source, deliveryId: id, payload: { order: "A1", parcel: 7 } };
      expect(await stepOf(run.id)).toMatchObject({ kind: "event", finishedAt: receivedAt, result, sequence: null });
      expect(await store.getDelivery(id)).toMatchObject({ outcome: "accepted", responseStatus: 202 });
      expect(await kindsOf(store, run.id)).toContain("wait_finished");
    });

    it("are each woken once: the second delivery is skipped", async () => {
      await startWaiting();
      await deliver({ order: "A1" });
      const { id, woke } = await deliver({ order: "A1" });
      expect(woke).toEqual([]);
      expect(await store.getDelivery(id)).toMatchObject({ outcome: "skipped", responseStatus: 200 });
    });

    it("are all woken by one delivery", async () => {
      const runs = [await startWaiting(), await startWaiting(), await startWaiting({ match: {} })];
      const { id, woke } = await deliver({ order: "A1" });
      expect(woke.toSorted()).toEqual(runs.map((run) => run.id).toSorted());
      expect((await due()).toSorted()).toEqual(woke.toSorted());
      expect((await store.findWoken([id, newId("dlv")])).get(id)?.map(({ runId }) => runId)).toEqual(
        runs.map((run) => run.id),
      );
    });

    it("are woken in parts if they are many: the search finds the delivery for the others", async () => {
      const count = maxWokenAtOnce + 20;
      await store.createRuns(Array.from({ length: count }, () => aRun({ createdAt: now })));
      const runs = await store.claimRuns(aClaim({ now: (now += 1), limit: count }));
      for (const run of runs) await suspend(run, [aWait()]);
      for (const run of runs) await finishSearches(run.id);
      const { id, woke, result, receivedAt } = await deliver({ order: "A1" });
      expect([woke.length, result]).toMatchObject([maxWokenAtOnce, { hasMoreWaiting: true }]);
      const rest = await store.listWaitsToSearch({ now, limit: 100 });
      expect(rest).toHaveLength(count - maxWokenAtOnce);
      // Everything before was searched already.
      expect(new Set(rest.map(({ since, isFinal }) => `${since} ${isFinal}`))).toEqual(new Set([`${receivedAt} true`]));
      const event = { deliveryId: id, receivedAt, source, payload: { order: "A1" } };
      for (const { runId, step, branch } of rest) await store.deliverEvent({ runId, step, branch, event, now });
      expect(
        (await store.claimRuns(aClaim({ now: (now += 1), limit: 1_000 }))).map((run) => run.id).toSorted(),
      ).toEqual(runs.map((run) => run.id).toSorted());
    });

    it("match strings, numbers and booleans at up to five paths, and distinguish them", async () => {
      const match: EventMatch = { "/a": "1", "/b/c": 1, "/d": true, "/e~1f": "x", "/list/0": 2 };
      const payload = { a: "1", b: { c: 1 }, d: true, "e/f": "x", list: [2] };
      const run = await startWaiting({ match });
      for (const other of [{ a: 1 }, { b: { c: "1" } }, { d: "true" }, { "e/f": "y" }, { list: [3, 2] }])
        expect((await deliver({ ...payload, ...other })).woke).toEqual([]);
      expect((await deliver(payload)).woke).toEqual([run.id]);
    });

    it("that wait for one of several events have the first, and wait for none of the others", async () => {
      const canceled = { branch: "canceled", source: "order-canceled" };
      const run = await startWaiting({ branch: "shipped" }, canceled);
      const { id, woke } = await deliver({ order: "A1" }, { source: "order-canceled" });
      expect(woke).toEqual([run.id]);
      expect(await resultOf(run.id)).toMatchObject({ branch: "canceled", source: "order-canceled", deliveryId: id });
      expect((await deliver({ order: "A1" })).woke).toEqual([]);
    });

    it("have the event of each of their waits", async () => {
      const run = await startWaiting({}, { step: "paid", source: "order-paid" });
      await deliver({ order: "A1" }, { source: "order-paid" });
      expect(await due()).toEqual([run.id]);
      // The run is active: the event is stored for its next suspension.
      expect((await deliver({ order: "A1" })).woke).toEqual([run.id]);
      expect((await resultOf(run.id, "paid"))?.source).toBe("order-paid");
      expect((await resultOf(run.id))?.source).toBe(source);
    });

    it("have another delivery for each of their waits, even if both match it", async () => {
      const run = await startWaiting({}, { step: "again" });
      const [first, second] = [await deliver({ order: "A1" }), await deliver({ order: "A1" })];
      expect([first.woke, second.woke, (await deliver({ order: "A1" })).woke]).toEqual([[run.id], [run.id], []]);
      const got = [(await resultOf(run.id))?.deliveryId, (await resultOf(run.id, "again"))?.deliveryId];
      expect(got).toEqual([first.id, second.id]);
      await suspend(await claimOne(store, { now: (now += 1) }), [aWait({ step: "third" })]);
      const [found] = await store.listWaitsToSearch({ now, limit: 10, runId: run.id });
      expect(found?.used.toSorted()).toEqual([first.id, second.id].toSorted());
    });

    it("are not woken by a delivery from before the time since which they count", async () => {
      const run = await startWaiting({ since: epoch + 1_000 });
      expect((await deliver({ order: "A1" })).woke).toEqual([]);
      now = epoch + 1_000;
      expect((await deliver({ order: "A1" })).woke).toEqual([run.id]);
    });

    it("keep an event that came while they were active, and are due at once when they are suspended again", async () => {
      const run = await start();
      await suspend(run, [aWait()], now + 10);
      await finishSearches(run.id);
      now += 10;
      const again = await claimOne(store, { now });
      const { id } = await deliver({ order: "A1" });
      await suspend(again, [aWait()]);
      expect((await resultOf(run.id))?.deliveryId).toBe(id);
      expect(await due()).toEqual([run.id]);
    });

    it("time out only when they are suspended again, without a later event", async () => {
      const wait = { until: epoch + 1_000 };
      const run = await startWaiting(wait);
      expect(await due()).toEqual([]);
      now = epoch + 1_001;
      expect((await deliver({ order: "A1" })).woke).toEqual([]);
      await suspend(await claimOne(store, { now }), [aWait(wait)]);
      expect(await stepOf(run.id)).toMatchObject({ finishedAt: epoch + 1_000, result: null });
      expect(await due()).toEqual([run.id]);
      expect(await store.findWaits({ ids: [run.id], limits: new Map(), now })).toEqual(new Map());
    });

    it("do not time out before earlier deliveries were searched", async () => {
      const run = await start();
      const wait = aWait({ until: now });
      await suspend(run, [wait]);
      now += 1_000;
      expect(await due()).toEqual([]);
      await finishSearches(run.id);
      await suspend(await claimOne(store, { now: (now += 1) }), [wait]);
      expect(await stepOf(run.id)).toMatchObject({ finishedAt: wait.until, result: null });
    });

    it("have an earlier delivery that a search finds", async () => {
      const run = await start();
      const early = await deliver({ order: "A1" });
      await suspend(run, [aWait()]);
      const [found] = await store.listWaitsToSearch({ now, limit: 10, runId: run.id });
      const step = found?.step ?? "";
      expect(found).toEqual({ ...aWait(), step, runId: run.id, isFinal: expect.any(Boolean), used: [] });
      const payload = { order: "A1" };
      const event = { deliveryId: early.id, receivedAt: early.receivedAt, source, payload };
      const request = { runId: run.id, step, branch: "", event, now };
      expect(await store.deliverEvent(request)).toBe(true);
      expect(await due()).toEqual([run.id]);
      expect(await resultOf(run.id)).toEqual({ branch: "", source, deliveryId: early.id, payload });
      expect(await store.deliverEvent(request)).toBe(false);
      expect(await store.listWaitsToSearch({ now: now + unknownPathsMs, limit: 10 })).toEqual([]);
      expect((await store.findWoken([early.id])).get(early.id)).toEqual([{ runId: run.id, source }]);
    });

    it("have the first delivery, even if a later one comes before the search", async () => {
      const run = await start();
      const early = await deliver({ order: "A1" });
      await suspend(run, [aWait()]);
      const late = await deliver({ order: "A1" });
      expect(late.woke).toEqual([run.id]);
      expect(await due()).toEqual([]);
      const payload = { order: "A1" };
      const event = { deliveryId: early.id, receivedAt: early.receivedAt, source, payload };
      const [{ step } = { step: "" }] = await store.listWaitsToSearch({ now, limit: 10, runId: run.id });
      expect(await store.deliverEvent({ runId: run.id, step, branch: "", event, now })).toBe(true);
      expect((await resultOf(run.id))?.deliveryId).toBe(early.id);
      expect(await due()).toEqual([run.id]);
      expect((await store.findWoken([early.id, late.id])).size).toBe(1);
    });

    it("are searched again by the next process if one ends in between", async () => {
      const run = await start();
      await suspend(run, [aWait()]);
      expect(await store.listWaitsToSearch({ now: now + unknownPathsMs, limit: 10 })).toEqual([
        { ...aWait(), step: expect.any(String), runId: run.id, isFinal: true, used: [] },
      ]);
      await finishSearches(run.id);
      expect(await store.listWaitsToSearch({ now: now + unknownPathsMs, limit: 10 })).toEqual([]);
    });

    it("wait for nothing after they have ended", async () => {
      const canceled = await startWaiting();
      await store.requestCancel(canceled.id, (now += 1));
      const completed = await start();
      await suspend(completed, [aWait()], now + 10);
      await finishSearches(completed.id);
      now += 10;
      const { id, token } = await claimOne(store, { now });
      const transition = { to: "completed", output: null } as const;
      await store.writeProgress({ runId: id, token, now, entries: [], transition, closesWaits: true });
      expect((await deliver({ order: "A1" })).woke).toEqual([]);
    });

    it("are named in the response to a repeated delivery", async () => {
      const run = await startWaiting();
      const key = "ab".repeat(16);
      const first = await deliver({ order: "A1" }, { key });
      expect((await deliver({ order: "A1" }, { key })).result).toEqual({
        kind: "repeated",
        deliveryId: first.id,
        runs: [],
        woke: [{ runId: run.id, source }],
      });
    });

    it("are woken by a held delivery when it is released", async () => {
      const waiting = await startWaiting();
      const delivery = aDelivery({ receivedAt: (now += 1), outcome: "held" });
      await store.acceptDelivery({ delivery, runs: [], idempotency: null });
      expect(await due()).toEqual([]);
      const run = aRun({ deliveryId: delivery.id, createdAt: now });
      const result = await store.releaseDelivery({
        id: delivery.id,
        runs: [run],
        verdicts: [],
        unlistedVerdicts: [],
        at: (now += 1),
        delivered: { events: [{ source, payload: { order: "A1" } }] },
      });
      expect(result).toEqual({ kind: "released" });
      expect((await resultOf(waiting.id))?.deliveryId).toBe(delivery.id);
      expect((await due()).toSorted()).toEqual([run.id, waiting.id].toSorted());
    });

    it("say what they wait for", async () => {
      const run = await startWaiting({ branch: "a" }, { branch: "b", source: "order-canceled", match: {} });
      expect((await store.findWaits({ ids: [run.id], limits: new Map(), now })).get(run.id)).toEqual({
        waitsFor: {
          kind: "event",
          step: "shipped",
          events: [
            { source, match: { "/order": "A1" } },
            { source: "order-canceled", match: {} },
          ],
          until: new Date(epoch + day).toISOString(),
        },
      });
    });

    it("each have the first delivery that matches since then, in every order of deliveries, suspensions and searches", async () => {
      const value = fc.constantFrom("A1", "B2");
      const action = fc.oneof(
        { weight: 3, arbitrary: fc.record({ kind: fc.constant("deliver" as const), order: value }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), order: value, back: fc.nat(3) }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant("search" as const) }) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 14 }), async (actions) => {
          const own = newId("run");
          others = [];
          const deliveries: { id: string; receivedAt: number; payload: { order: string; own: string } }[] = [];
          const waiting: { run: ClaimedRun; wait: EventWait }[] = [];
          const search = async () => {
            for (const { run } of waiting)
              for (const found of await store.listWaitsToSearch({ now, limit: 10, runId: run.id })) {
                const first = deliveries.find(
                  (one) => one.receivedAt >= found.since && isMatch(one.payload, found.match),
                );
                const { runId, step, branch } = found;
                const event = first && { source, deliveryId: first.id, ...first };
                if (!event || !(await store.deliverEvent({ runId, step, branch, event, now })))
                  await store.finishSearch({ runId, step, isFinal: true, now });
              }
          };
          for (const one of actions) {
            if (one.kind === "deliver") {
              const payload = { order: one.order, own };
              deliveries.push({ ...(await deliver(payload)), payload });
            } else if (one.kind === "wait") {
              const run = await start();
              const since = deliveries.at(-one.back)?.receivedAt ?? now;
              const wait = aWait({ match: { "/order": one.order, "/own": own }, since: one.back === 0 ? now : since });
              await suspend(run, [wait]);
              waiting.push({ run, wait });
            } else await search();
          }
          await search();
          for (const { run, wait } of waiting) {
            const first = deliveries.find((one) => one.receivedAt >= wait.since && isMatch(one.payload, wait.match));
            expect((await resultOf(run.id))?.deliveryId ?? null).toBe(first?.id ?? null);
          }
          const woken = waiting.filter(({ wait }) =>
            deliveries.some((one) => one.receivedAt >= wait.since && isMatch(one.payload, wait.match)),
          );
          expect([...others, ...(await due())].toSorted()).toEqual(woken.map(({ run }) => run.id).toSorted());
        }),
        { numRuns: 20 },
      );
    });
  });
}

function wokenBy(result: AcceptResult): string[] {
  return "woke" in result ? (result.woke ?? []).map(({ runId }) => runId) : [];
}
