import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewRun } from "../../ports/store/new-run.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aDelivery, aRun, epoch, type OpenStore } from "./factories.ts";

/** The tests of `maxQueued` that every store passes. */
export function queueCapacityContract(open: OpenStore): void {
  describe("the capacity of queues", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const accept = (runs: NewRun[], key: string | null = null) => {
      const delivery = aDelivery();
      const own = runs.map((run) => ({ ...run, deliveryId: delivery.id }));
      return {
        delivery,
        answer: store.acceptDelivery({ delivery, runs: own, idempotency: key === null ? null : { key, notBefore: 0 } }),
      };
    };
    const kindOf = async (runs: NewRun[], key: string | null = null) => (await accept(runs, key).answer).kind;
    const queuedOf = async (slug: string) =>
      (await store.listRuns({ target: slug, status: "queued" }, { limit: 100, cursor: null })).data.length;

    it("is the limit, and a delivery beyond it is not recorded", async () => {
      expect(await kindOf([bounded(2)])).toBe("accepted");
      const { delivery, answer } = accept([bounded(null, "wide"), bounded(2), bounded(2)], "k");
      expect(await answer).toEqual({
        kind: "full",
        queue: { target: { kind: "workflow", slug: "narrow" }, maxQueued: 2, adds: 2 },
      });
      expect(await store.getDelivery(delivery.id)).toBeNull();
      expect([await queuedOf("narrow"), await queuedOf("wide")]).toEqual([1, 0]);
      const counts = await store.countDeliveries({
        since: epoch,
        until: epoch + 60_000,
        bucketMs: 60_000,
        endpoints: null,
      });
      expect(counts).toMatchObject([{ count: 1 }]);
      // Its key is free, so the sender can retry.
      expect(await kindOf([bounded(2)], "k")).toBe("accepted");
    });

    it("is not checked for a repeat, nor for runs without a limit", async () => {
      expect(await kindOf([bounded(1)], "k")).toBe("accepted");
      const again = aDelivery();
      expect(
        await store.acceptDelivery({ delivery: again, runs: [bounded(1)], idempotency: { key: "k", notBefore: 0 } }),
      ).toMatchObject({ kind: "repeated" });
      expect([await kindOf([bounded(null)]), await kindOf([bounded(1, "other")])]).toEqual(["accepted", "accepted"]);
      expect(await kindOf([bounded(1)])).toBe("full");
    });

    it("rejects a delivery alone among concurrent ones", async () => {
      const kinds = await Promise.all([
        kindOf([bounded(2)]),
        kindOf([bounded(2), bounded(2)]),
        kindOf([bounded(2)]),
        kindOf([bounded(2)]),
        kindOf([bounded(null, "wide")]),
      ]);
      expect(kinds).toEqual(["accepted", "full", "accepted", "full", "accepted"]);
    });

    it("counts queued runs in both pools, without running and sleeping ones", async () => {
      await store.createRuns([bounded(3), bounded(3), bounded(3)]);
      const [lost, asleep, running] = await store.claimRuns(aClaim());
      if (!lost || !asleep || !running) throw new Error("three runs are due");
      await store.writeProgress({
        runId: asleep.id,
        token: asleep.token,
        now: epoch + 1500,
        entries: [],
        transition: { to: "waiting", reason: "sleep", availableAt: epoch + 9000 },
      });
      await store.releaseLostRuns({
        workerId: "wrk_a",
        now: epoch + 1500,
        message: "It was killed.",
        runs: [{ id: lost.id, fate: { kind: "isolate" } }],
      });
      expect(await kindOf([bounded(1)])).toBe("full");
      expect([await kindOf([bounded(2)]), await kindOf([bounded(2)])]).toEqual(["accepted", "full"]);
    });

    it("applies to runs that no delivery starts: all or none, or those that fit", async () => {
      await expect(store.createRuns([bounded(1), bounded(1)])).rejects.toMatchObject({
        code: "queue_full",
        message: expect.stringContaining("workflow narrow at once, but its maxQueued is 1"),
      });
      expect(await queuedOf("narrow")).toBe(0);
      const runs = [bounded(1), bounded(1), bounded(null, "wide")];
      expect(await store.createFittingRuns(runs)).toMatchObject([
        { id: runs[1]?.id, queue: { maxQueued: 1, adds: 1 } },
      ]);
      expect([await queuedOf("narrow"), await queuedOf("wide")]).toEqual([1, 1]);
      await expect(store.createRuns([bounded(1)])).rejects.toMatchObject({
        code: "queue_full",
        message: expect.stringContaining("workflow narrow is full: its maxQueued is 1"),
      });
    });

    it("admits exactly the runs that fit, in any order and with any other writes", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(batch, { maxLength: 4 }), async (batches) => {
          const own = await open();
          const model = modelOf();
          for (const { operations, claim, returnsToQueue } of batches) {
            for (const alike of stretchesOf(operations)) {
              const applied = alike.map((operation) => apply(own, model, operation));
              expect(await Promise.all(applied.map(({ answer }) => answer))).toEqual(
                applied.map(({ expected }) => expected),
              );
            }
            for (const { id, token, target } of await own.claimRuns(aClaim({ limit: claim }))) {
              model.remove(id);
              if (!returnsToQueue) continue;
              await own.writeProgress({
                runId: id,
                token,
                now: epoch + 1500,
                entries: [],
                transition: { to: "queued" },
              });
              model.add([{ id, target }]);
            }
          }
          expect((await own.countOpenRuns()).queued).toBe(model.queued.length);
          await own.close();
        }),
        { numRuns: 50 },
      );
    }, 60_000);
  });
}

const bounded = (maxQueued: number | null, slug = "narrow") => aRun({ target: { kind: "workflow", slug }, maxQueued });

const someRuns = fc.array(
  fc.record({ slug: fc.constantFrom("narrow", "other"), maxQueued: fc.option(fc.constantFrom(1, 2, 3, 5)) }),
  { minLength: 1, maxLength: 4 },
);
const anyOperation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom("accept" as const, "create" as const, "fit" as const),
      runs: someRuns,
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("cancel" as const), at: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("fail" as const) }) },
);
const batch = fc.record({
  operations: fc.array(anyOperation, { maxLength: 8 }),
  claim: fc.nat(3),
  returnsToQueue: fc.boolean(),
});

/** Writes of one kind that are sent at once are done in their order. Those of different kinds may overtake each other. */
function stretchesOf<T extends { does: string }>(operations: readonly T[]): T[][] {
  const stretches: T[][] = [];
  for (const operation of operations) {
    const last = stretches.at(-1);
    if (last?.[0]?.does === operation.does) last.push(operation);
    else stretches.push([operation]);
  }
  return stretches;
}

/** A simple model of the queues. */
function modelOf() {
  const queued: Pick<NewRun, "id" | "target">[] = [];
  return {
    queued,
    add: (runs: readonly Pick<NewRun, "id" | "target">[]) => void queued.push(...runs),
    remove: (id: string) =>
      void queued.splice(
        queued.findIndex((run) => run.id === id),
        1,
      ),
    fits: (runs: readonly NewRun[]) =>
      runs.every(
        ({ target: { slug }, maxQueued }) =>
          typeof maxQueued !== "number" ||
          queued.filter(isOf(slug)).length + runs.filter(isOf(slug)).length <= maxQueued,
      ),
  };
}

/** Applies the operation to the store and to the model. Returns the store's result and the expected one. */
function apply(
  store: Store,
  model: ReturnType<typeof modelOf>,
  operation: Parameters<Parameters<typeof anyOperation.map>[0]>[0],
): { answer: Promise<unknown>; expected: unknown } {
  if (operation.does === "cancel") {
    const id = model.queued[operation.at]?.id ?? "run_unknown";
    const expected = id === "run_unknown" ? "missing" : "canceled";
    if (expected === "canceled") model.remove(id);
    return { answer: store.requestCancel(id, epoch), expected };
  }
  if (operation.does === "fail") {
    const run = aRun();
    return { answer: store.createRuns([run, run]).catch(() => "failed"), expected: "failed" };
  }
  const runs = operation.runs.map(({ slug, maxQueued }) => bounded(maxQueued, slug));
  if (operation.does === "fit") {
    const left = runs.filter((run) => !model.fits([run]) || void model.add([run]));
    return {
      answer: store.createFittingRuns(runs).then((full) => full.map(({ id }) => id)),
      expected: left.map(({ id }) => id),
    };
  }
  const expected = model.fits(runs) ? "accepted" : "full";
  if (expected === "accepted") model.add(runs);
  const delivery = aDelivery();
  if (operation.does === "create")
    return {
      answer: store.createRuns(runs).then(
        () => "accepted",
        ({ code }) => (code === "queue_full" ? "full" : code),
      ),
      expected,
    };
  return {
    answer: store
      .acceptDelivery({ delivery, runs: runs.map((run) => ({ ...run, deliveryId: delivery.id })), idempotency: null })
      .then(({ kind }) => kind),
    expected,
  };
}

function isOf(slug: string): (run: Pick<NewRun, "target">) => boolean {
  return ({ target }) => target.slug === slug;
}
