import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Concurrency } from "../../contract/project/options.ts";
import type { ClaimedRun, RunTransition } from "../../ports/store/engine-store.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aConcurrency, aResume, aRun, epoch, kindsOf, type OpenStore, toTheEnd } from "./factories.ts";

const target = "workflow:welcome-email";
const error = { name: "Error", message: "no", stack: null };
const completed: RunTransition = { to: "completed", output: null };
const failed: RunTransition = { to: "failed", error };
const sleepUntil = (availableAt: number): RunTransition => ({ to: "waiting", reason: "sleep", availableAt });
const retryAt = (availableAt: number): RunTransition => ({ to: "waiting", reason: "retry", availableAt });

/** The limits on runs with the same key, as every store keeps them. */
export function keySlotsContract(open: OpenStore): void {
  describe("runs of a key", () => {
    let store: Store;
    let now: number;
    beforeEach(async () => {
      store = await open();
      now = epoch;
    });
    afterEach(() => store.close());

    const limitTo = async (given: Partial<Concurrency>) => {
      const concurrency = aConcurrency(given);
      const limits = new Map([[target, concurrency]]);
      await store.applyLimits({ limits, now });
      const queue = async (key: string | null, more: Partial<NewRun> = {}) => {
        const run = aRun({ key, concurrency, createdAt: (now += 1), ...more });
        await store.createRuns([run]);
        return run.id;
      };
      const claim = (limit = 100) => store.claimRuns(aClaim({ now: (now += 1), limits, limit }));
      const claimIds = async (limit = 100) => (await claim(limit)).map(({ id }) => id);
      const claimOnly = async () => {
        const [run, ...others] = await claim();
        if (!run || others.length > 0) throw new Error(`${others.length + Number(run !== undefined)} runs are due`);
        return run;
      };
      return { concurrency, limits, queue, claim, claimIds, claimOnly };
    };
    const end = ({ id, token }: ClaimedRun, transition: RunTransition) =>
      store.writeProgress({ runId: id, token, now: (now += 1), entries: [], transition });

    it("start one after the other, in the order in which they were accepted", async () => {
      const { queue, claim, claimOnly } = await limitTo({ perKey: 1 });
      const ids = [await queue("a"), await queue("a"), await queue("a")];
      const order: string[] = [];
      for (let left = ids.length; left > 0; left -= 1) {
        const run = await claimOnly();
        expect(await claim()).toEqual([]);
        order.push(run.id);
        await end(run, completed);
      }
      expect(order).toEqual(ids);
      expect(await claim()).toEqual([]);
    });

    it("wait while one of them waits for its next attempt, sleeps, or has lost its worker", async () => {
      const { queue, claim, claimOnly } = await limitTo({ perKey: 1 });
      const first = await queue("a");
      await queue("a");
      await end(await claimOnly(), retryAt(now + 100));
      expect(await claim()).toEqual([]);
      now += 100;
      await end(await claimOnly(), sleepUntil(now + 100));
      expect(await claim()).toEqual([]);
      now += 100;
      const { id } = await claimOnly();
      expect(id).toBe(first);
      await store.releaseLostRuns({
        workerId: "wrk_a",
        now,
        message: "It crashed.",
        runs: [{ id, fate: { kind: "resume" } }],
      });
      expect((await claimOnly()).id).toBe(first);
    });

    it("of other keys, without a key and of `onFailure` do not wait for them", async () => {
      const { queue, claimIds, concurrency } = await limitTo({ perKey: 1 });
      const [first, waiting] = [await queue("a"), await queue("a")];
      const others = [await queue("b"), await queue(null), await queue(null), await queue(""), await queue("")];
      const handler = await queue("a", { failureOf: first, concurrency });
      const claimed = await claimIds();
      expect(new Set(claimed)).toEqual(new Set([first, ...others, handler]));
      expect(claimed).not.toContain(waiting);
    });

    it("take turns with other keys within the limit of their target", async () => {
      const { queue, claimOnly, claim } = await limitTo({ limit: 1, perKey: 1 });
      for (let n = 0; n < 5; n += 1) await queue("busy");
      await end(await claimOnly(), completed);
      const other = await queue("other");
      await end(await claimOnly(), completed);
      expect((await claimOnly()).id).toBe(other);
      expect(await claim()).toEqual([]);
    });

    it("overlap up to the limit, and start in order", async () => {
      const { queue, claim } = await limitTo({ perKey: 2 });
      const ids = [await queue("a"), await queue("a"), await queue("a"), await queue("a")];
      const [one, two] = await claim();
      expect([one?.id, two?.id]).toEqual(ids.slice(0, 2));
      if (one) await end(one, completed);
      expect((await claim()).map(({ id }) => id)).toEqual([ids[2]]);
    });

    it("continue while another one sleeps with `release`, and the sleeping one waits for its turn", async () => {
      const { queue, claimIds, claimOnly } = await limitTo({ perKey: 1, whileWaiting: "release" });
      const [sleeper, second, third] = [await queue("a"), await queue("a"), await queue("a")];
      await end(await claimOnly(), sleepUntil(now + 100));
      const next = await claimOnly();
      expect(next.id).toBe(second);
      now += 100;
      expect(await claimIds()).toEqual([]);
      await end(next, completed);
      const last = await claimOnly();
      expect(last.id).toBe(third);
      // A retry never releases its slot.
      await end(last, retryAt(now + 10));
      expect(await claimIds()).toEqual([]);
      now += 10;
      await end(await claimOnly(), completed);
      const woken = await claimOnly();
      expect([woken.id, woken.isResumed]).toEqual([sleeper, true]);
    });

    it("continue after a failure, or wait until the failed one is resumed", async () => {
      const continues = await limitTo({ perKey: 1 });
      await continues.queue("a");
      const next = await continues.queue("a");
      await end(await continues.claimOnly(), failed);
      const run = await continues.claimOnly();
      expect(run.id).toBe(next);
      await end(run, completed);

      const { queue, claimIds, claimOnly, concurrency } = await limitTo({ perKey: 1, onFailure: "block" });
      const [first, second] = [await queue("a"), await queue("a")];
      await end(await claimOnly(), failed);
      expect(await claimIds()).toEqual([]);
      const resume = aResume({ id: first, version: "v1", concurrency });
      expect(await store.resumeRuns([resume], (now += 1))).toEqual([null]);
      const again = await claimOnly();
      expect(again.id).toBe(first);
      await end(again, completed);
      expect(await claimIds()).toEqual([second]);
    });

    it("wait until a replay of the failed one, which takes its slot, has ended", async () => {
      const { queue, claimIds, claimOnly } = await limitTo({ perKey: 1, onFailure: "block" });
      const [first, second] = [await queue("a"), await queue("a")];
      await end(await claimOnly(), { to: "timed_out", error });
      const replay = await queue("a", { replayOf: first, startedBy: "replay" });
      const run = await claimOnly();
      expect(run.id).toBe(replay);
      await end(run, completed);
      expect(await claimIds()).toEqual([second]);
      // One with another key takes no slot.
      const other = await limitTo({ perKey: 1, onFailure: "block" });
      const [third, fourth] = [await other.queue("b"), await other.queue("b")];
      await end(await other.claimOnly(), failed);
      const moved = await other.queue("c", { replayOf: third, startedBy: "replay" });
      expect(new Set(await other.claimIds())).toEqual(new Set([moved, fourth]));
    });

    it("continue when the failed one is canceled, which stays failed", async () => {
      const { queue, claimIds, claimOnly } = await limitTo({ perKey: 1, onFailure: "block" });
      const [first, second] = [await queue("a"), await queue("a")];
      await end(await claimOnly(), failed);
      expect(await store.requestCancel(first, (now += 1))).toBe("released");
      expect(await store.requestCancel(first, (now += 1))).toBe("ended");
      expect((await store.getRun(first))?.status).toBe("failed");
      expect((await kindsOf(store, first)).at(-1)).toBe("key_released");
      expect(await claimIds()).toEqual([second]);
    });

    it("get the slot of a canceled one, and a canceled one no longer waits", async () => {
      const { queue, claimIds, claimOnly } = await limitTo({ perKey: 1 });
      const [first, second, third] = [await queue("a"), await queue("a"), await queue("a")];
      for (const id of [second, first]) expect(await store.requestCancel(id, (now += 1))).toBe("canceled");
      const run = await claimOnly();
      expect(run.id).toBe(third);
      const fourth = await queue("a");
      expect(await store.requestCancel(third, (now += 1))).toBe("requested");
      await end(run, sleepUntil(now + 100));
      expect(await claimIds()).toEqual([fourth]);
    });

    it("follow new limits: added, raised, lowered and removed", async () => {
      const none = await limitTo({});
      const ids: string[] = [];
      for (let n = 0; n < 5; n += 1) ids.push(await none.queue("a"));
      const running = await none.claim(2);
      expect(running.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      const one = await limitTo({ perKey: 1 });
      expect(await one.claimIds()).toEqual([]);
      for (const run of running) await end(run, completed);
      const third = await one.claimOnly();
      expect(third.id).toBe(ids[2]);
      const two = await limitTo({ perKey: 2 });
      const fourth = await two.claimOnly();
      expect(fourth.id).toBe(ids[3]);
      const again = await limitTo({ perKey: 1 });
      await end(third, completed);
      expect(await again.claimIds()).toEqual([]);
      const sixth = await again.queue("a");
      const removed = await limitTo({ limit: 9 });
      expect(await removed.claimIds()).toEqual([ids[4], sixth]);
      await end(fourth, completed);
      expect(await removed.claimIds()).toEqual([]);
    });

    it("that sleep count towards the limit of their target with `hold`, and continue regardless of it", async () => {
      const { queue, claimIds, claim } = await limitTo({ limit: 2, whileWaiting: "hold" });
      const ids = [await queue("a"), await queue("b"), await queue("c")];
      const [one, two] = await claim();
      if (!one || !two) throw new Error("two runs are due");
      await end(one, sleepUntil(now + 100));
      await end(two, sleepUntil(now + 200));
      expect(await claimIds()).toEqual([]);
      now += 100;
      const [woken] = await claim();
      expect(woken?.id).toBe(ids[0]);
      const pools = ["shared"] as const;
      const limits = new Map([[target, aConcurrency({ limit: 2, whileWaiting: "hold" })]]);
      expect(await store.listDueRuns({ pools, now, limits, limit: 9 })).toEqual([]);
      if (woken) await end(woken, completed);
      expect((await store.listDueRuns({ pools, now, limits, limit: 9 })).map(({ runs }) => runs)).toEqual([1]);
      expect(await claimIds()).toEqual([ids[2]]);
    });

    it("that wait are not due, and are in no alarm", async () => {
      const { queue, claim, limits } = await limitTo({ perKey: 1 });
      await queue("a");
      await queue("a");
      await claim();
      expect(await store.listDueRuns({ pools: ["shared"], now, limits, limit: 9 })).toEqual([]);
      expect(await store.nextAvailableAt("shared")).toBeNull();
      expect(await store.countOpenRuns()).toEqual({ queued: 1, running: 1, waiting: 0 });
    });

    it("are listed with what they wait for", async () => {
      const { queue, claimOnly, limits } = await limitTo({ limit: 2, perKey: 1, onFailure: "block" });
      const [first, second, other] = [await queue("a"), await queue("a"), await queue("b")];
      const waitsOf = async (...ids: string[]) => {
        const found = await store.findWaits({ ids, limits, now });
        return ids.map((id) => found.get(id) ?? null);
      };
      const behind = { waitsFor: { kind: "key", runId: first, isBlocked: false } };
      expect(await waitsOf(first, second, other, "run_unknown")).toEqual([null, behind, null, null]);
      const [run, another] = await store.claimRuns(aClaim({ now, limits }));
      const third = await queue("c");
      const full = { waitsFor: { kind: "concurrency", limit: 2, counted: 2 } };
      expect(await waitsOf(first, second, third)).toEqual([null, behind, full]);
      const idsOf = async (filter: Parameters<Store["listRuns"]>[0]) =>
        (await store.listRuns(filter, { limit: 9, cursor: null })).data.map(({ id }) => id);
      expect(await idsOf({ waitsForKey: true })).toEqual([second]);
      expect(await idsOf({ waitsForKey: true, key: "b" })).toEqual([]);
      if (run && another) await end(run.id === first ? run : another, failed);
      expect(await waitsOf(first, second, third)).toEqual([
        { blocksKey: true },
        { waitsFor: { kind: "key", runId: first, isBlocked: true } },
        null,
      ]);
      expect((await claimOnly()).id).toBe(third);
    });

    it("do not count towards `maxQueued` while they wait, so a blocked key does not fill the queue of others", async () => {
      const { queue, claimOnly, claimIds, concurrency } = await limitTo({ perKey: 1, onFailure: "block" });
      const first = await queue("a", { maxQueued: 2 });
      await end(await claimOnly(), failed);
      for (let n = 0; n < 5; n += 1) await queue("a", { maxQueued: 2 });
      const others = [await queue("b", { maxQueued: 2 })];
      const resume = aResume({ id: first, version: "v1", concurrency, maxQueued: 2 });
      expect(await store.resumeRuns([resume], (now += 1))).toEqual([null]);
      await expect(queue("c", { maxQueued: 2 })).rejects.toMatchObject({ code: "queue_full" });
      expect(new Set(await claimIds())).toEqual(new Set([first, ...others]));
    });

    it("are kept by retention while they block their key", async () => {
      const { queue, claimOnly } = await limitTo({ perKey: 1, onFailure: "block" });
      const first = await queue("a");
      await end(await claimOnly(), failed);
      const before = now + 1e9;
      const remove = () =>
        toTheEnd((after: { at: number; id: string } | null) => store.removeOldRuns({ before, after }));
      expect(await remove()).toBe(0);
      await store.requestCancel(first, (now += 1));
      expect(await remove()).toBeGreaterThan(0);
      expect(await store.getRun(first)).toBeNull();
    });

    it("are never more than the limit with any concurrent operations, and start in the order of the commits", async () => {
      const { claim, limits, concurrency } = await limitTo({ perKey: 1 });
      const keys = ["a", "b", "c"];
      const created: Promise<unknown>[] = [];
      const order = new Map<string, string[]>(keys.map((key) => [key, []]));
      for (let n = 0; n < 30; n += 1) {
        const key = keys[n % keys.length] ?? "a";
        const run = aRun({ key, concurrency, createdAt: epoch + n });
        created.push(store.createRuns([run]).then(() => order.get(key)?.push(run.id)));
      }
      const keyOf = new Map<string, string>();
      const started = new Map<string, string[]>(keys.map((key) => [key, []]));
      const running = new Map<string, string>();
      let isOver = false;
      const work = async () => {
        for (let idle = 0; idle < 3;) {
          const runs = await store.claimRuns(aClaim({ now: epoch + 1e6, limits, limit: 2 }));
          idle = runs.length > 0 || !isOver ? 0 : idle + 1;
          await nextTurn();
          for (const run of runs) {
            const key = (await store.getRun(run.id))?.key ?? "";
            expect(running.has(key)).toBe(false);
            running.set(key, run.id);
            keyOf.set(run.id, key);
            started.get(key)?.push(run.id);
          }
          for (const run of runs) {
            running.delete(keyOf.get(run.id) ?? "");
            await end(run, completed);
          }
        }
      };
      const workers = [work(), work()];
      await Promise.all(created);
      isOver = true;
      await Promise.all(workers);
      expect(started).toEqual(order);
      expect(await claim()).toEqual([]);
    });

    it("have their slots by the rules after any operations", async () => {
      expect.hasAssertions();
      await fc.assert(
        fc.asyncProperty(
          fc.record({ limits: anyLimits, operations: fc.array(anyOperation, { maxLength: 25 }) }),
          async (p) => {
            const own = await open();
            try {
              await checkSlots(own, p);
            } finally {
              await own.close();
            }
          },
        ),
        { numRuns: 25 },
      );
    });
  });
}

// ---- a simple model ----

const anyLimits = fc.record({
  perKey: fc.constantFrom(1, 1, 2),
  whileWaiting: fc.constantFrom("hold" as const, "release" as const),
  onFailure: fc.constantFrom("continue" as const, "block" as const),
});

const anyOperation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant("queue" as const), key: fc.constantFrom("a", "a", "b") }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant("claim" as const), ms: fc.constantFrom(0, 0, 50) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant("end" as const),
      at: fc.nat(5),
      how: fc.constantFrom("completed", "failed", "sleep", "retry", "queued"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom("cancel" as const, "resume" as const, "replay" as const),
      at: fc.nat(9),
    }),
  },
);

interface ModelRun {
  id: string;
  key: string;
  status: "queued" | "running" | "sleeping" | "retrying" | "failed" | "ended";
  dueAt: number;
  claimed?: ClaimedRun;
  wasReplayed?: boolean;
}

type Operation = Parameters<Parameters<typeof anyOperation.map>[0]>[0];

/** Applies the operations to a store and to the model: each claim takes the same runs of both. */
async function checkSlots(
  store: Store,
  p: { limits: Pick<Concurrency, "perKey" | "whileWaiting" | "onFailure">; operations: readonly Operation[] },
): Promise<void> {
  const concurrency = aConcurrency(p.limits);
  const limits = new Map([[target, concurrency]]);
  const perKey = concurrency.perKey ?? 0;
  let now = epoch;
  await store.applyLimits({ limits, now });
  const runs: ModelRun[] = [];
  const slots = new Map<string, ModelRun[]>([
    ["a", []],
    ["b", []],
  ]);
  const queues = new Map<string, ModelRun[]>([
    ["a", []],
    ["b", []],
  ]);
  const placesOf = (run: ModelRun) => slots.get(run.key) ?? [];
  const queueOf = (run: ModelRun) => queues.get(run.key) ?? [];
  const hasSlot = (run: ModelRun) => placesOf(run).includes(run);

  function join(run: ModelRun): boolean {
    const fits = placesOf(run).length < perKey && queueOf(run).length === 0;
    (fits ? placesOf(run) : queueOf(run)).push(run);
    return fits;
  }
  function leave(run: ModelRun): void {
    for (const list of [placesOf(run), queueOf(run)]) if (list.includes(run)) list.splice(list.indexOf(run), 1);
    const next = placesOf(run).length < perKey ? queueOf(run).shift() : undefined;
    if (!next) return;
    placesOf(run).push(next);
    next.dueAt = now;
  }
  function dueRuns(): ModelRun[] {
    const isDue = ({ status, dueAt }: ModelRun) =>
      status === "queued" || ((status === "sleeping" || status === "retrying") && dueAt <= now);
    const sleepers = runs
      .filter((run) => run.status === "sleeping" && isDue(run) && !hasSlot(run) && !queueOf(run).includes(run))
      .sort((a, b) => a.dueAt - b.dueAt);
    for (const run of sleepers) join(run);
    return runs.filter((run) => isDue(run) && hasSlot(run));
  }

  async function apply(operation: Operation): Promise<void> {
    now += 1;
    switch (operation.does) {
      case "queue": {
        const given = aRun({ key: operation.key, concurrency, createdAt: now });
        await store.createRuns([given]);
        const run: ModelRun = { id: given.id, key: operation.key, status: "queued", dueAt: now };
        runs.push(run);
        join(run);
        return;
      }
      case "claim": {
        now += operation.ms;
        const claimed = await store.claimRuns(aClaim({ now, limits, limit: 100 }));
        const due = dueRuns();
        expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set(due.map(({ id }) => id)));
        for (const run of due) {
          const one = claimed.find(({ id }) => id === run.id);
          Object.assign(run, { status: "running", claimed: one });
        }
        return;
      }
      case "end": {
        const run = runs.filter(({ status }) => status === "running")[operation.at];
        if (!run?.claimed) return;
        const until = now + 20;
        const transitions: Record<string, RunTransition> = {
          completed,
          failed,
          sleep: sleepUntil(until),
          retry: retryAt(until),
          queued: { to: "queued" },
        };
        const { id, token } = run.claimed;
        const transition = transitions[operation.how] ?? completed;
        await store.writeProgress({ runId: id, token, now, entries: [], transition });
        run.dueAt = until;
        run.status = (
          { completed: "ended", failed: "failed", sleep: "sleeping", retry: "retrying", queued: "queued" } as const
        )[operation.how] as ModelRun["status"];
        const releases = run.status === "sleeping" && concurrency.whileWaiting === "release";
        const blocks = run.status === "failed" && concurrency.onFailure === "block";
        if (run.status === "ended" || (run.status === "failed" && !blocks) || releases) leave(run);
        return;
      }
      case "cancel": {
        const run = runs.filter(({ status }) => status !== "running" && status !== "ended")[operation.at];
        if (!run) return;
        const outcome = run.status !== "failed" ? "canceled" : hasSlot(run) ? "released" : "ended";
        expect(await store.requestCancel(run.id, now)).toBe(outcome);
        if (outcome === "canceled") run.status = "ended";
        leave(run);
        return;
      }
      case "resume": {
        const run = runs.filter(({ status, wasReplayed }) => status === "failed" && !wasReplayed)[operation.at];
        if (!run) return;
        const seenAttempt = (await store.getRun(run.id))?.attempt ?? 0;
        const order = aResume({ id: run.id, version: "v1", concurrency, seenAttempt });
        expect(await store.resumeRuns([order], now)).toEqual([null]);
        Object.assign(run, { status: "queued", dueAt: now });
        if (!hasSlot(run)) join(run);
        return;
      }
      case "replay": {
        const old = runs.filter(({ status }) => status === "failed" || status === "ended")[operation.at];
        if (!old) return;
        const given = aRun({ key: old.key, concurrency, createdAt: now, replayOf: old.id, startedBy: "replay" });
        await store.createRuns([given]);
        const run: ModelRun = { id: given.id, key: old.key, status: "queued", dueAt: now };
        old.wasReplayed = true;
        runs.push(run);
        if (hasSlot(old)) placesOf(old).splice(placesOf(old).indexOf(old), 1, run);
        else join(run);
      }
    }
  }

  for (const operation of p.operations) await apply(operation);
  await apply({ does: "claim", ms: 50 });
}
