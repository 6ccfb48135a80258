import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isEnded } from "../../shared/runs/run-state.ts";
import { newId } from "../../domain/ids.ts";
import { type ChildLink, readChildResult } from "../../domain/runs/child-runs.ts";
import type { ClaimedRun, RunTransition, StepRecord } from "../../ports/store/engine-store.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aResume, aRun, epoch, kindsOf, type OpenStore } from "./factories.ts";

const hour = 3_600_000;
const far = epoch + 1_000 * hour;
const failure = { name: "Declined", message: "no funds", stack: "Declined: no funds\n    at pay" };

/** Runs that call and start other runs, as every store keeps them. */
export function childRunsContract(open: OpenStore): void {
  describe("child runs", () => {
    let store: Store;
    let now: number;
    let claimed: Map<string, ClaimedRun>;
    beforeEach(async () => {
      store = await open();
      now = epoch;
      claimed = new Map();
    });
    afterEach(() => store.close());

    /** Claims all due runs. Returns their ids. */
    const claimDue = async (limit = 100) => {
      const runs = await store.claimRuns(aClaim({ now: (now += 1), limit }));
      for (const run of runs) claimed.set(run.id, run);
      return runs.map(({ id }) => id);
    };
    const heldOf = (id: string) => {
      const run = claimed.get(id);
      if (!run) throw new Error(`${id} is not claimed`);
      return run;
    };
    const startParent = async (given: Partial<NewRun> = {}) => {
      const run = aRun({ createdAt: (now += 1), ...given });
      await store.createRuns([run]);
      await claimDue();
      return run.id;
    };
    const aStep = (name: string, runId: string, until: number | null): StepRecord => ({
      name,
      kind: "child",
      attempt: 1,
      startedAt: now,
      finishedAt: null,
      until,
      result: { runId },
      sequence: null,
    });
    const write = (id: string, progress: Partial<Parameters<Store["writeProgress"]>[0]>) =>
      store.writeProgress({ runId: id, token: heldOf(id).token, now: (now += 1), entries: [], ...progress });
    /** The parent calls a child for each name. Returns their ids. */
    const call = async (
      parent: string,
      names: readonly string[],
      more: { link?: ChildLink; until?: number; child?: Partial<NewRun> } = {},
    ) => {
      const { link = "call", until = null, child } = more;
      const { depth } = heldOf(parent);
      const children = names.map((step) =>
        aRun({
          id: newId("run"),
          startedBy: "parent",
          trigger: null,
          attachmentId: null,
          payload: null,
          input: { step },
          createdAt: (now += 1),
          ...child,
          child: { of: parent, step, link, depth: depth + 1 },
        }),
      );
      const steps = children.map(({ id, child: place }) => aStep(place?.step ?? "", id, until));
      await write(parent, { steps, children });
      return children.map(({ id }) => id);
    };
    const suspend = (id: string, availableAt = far) =>
      write(id, { awaitsChildren: true, transition: { to: "waiting", reason: "sleep", availableAt } });
    const end = (id: string, transition: RunTransition = { to: "completed", output: { of: "child" } }) =>
      write(id, { transition });
    const fail = (id: string) => end(id, { to: "failed", error: failure });
    const settle = async () => {
      while (await store.settleRuns({ now: (now += 1), limit: 10 }));
    };
    const runOf = async (id: string) => {
      const run = await store.getRun(id);
      if (!run) throw new Error(`${id} is missing`);
      return run;
    };
    const statusOf = async (id: string) => (await runOf(id)).status;
    const resultOf = async (parent: string, name: string) => {
      const [step] = await store.listSteps(parent, { name, after: 0, limit: 1 });
      return step ? { ...readChildResult(step.result), finishedAt: step.finishedAt } : null;
    };

    it("are queued with their step, and know their parent", async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"], { child: { key: "customer 7" } });
      expect(await runOf(child)).toMatchObject({
        childOf: parent,
        startedBy: "parent",
        status: "queued",
        key: "customer 7",
        input: { step: "charge" },
      });
      expect((await runOf(parent)).childOf).toBeNull();
      expect(await claimDue()).toEqual([child]);
      expect(heldOf(child)).toMatchObject({ depth: 1 });
      const { data } = await store.listRuns({ childOf: parent }, { limit: 10, cursor: null });
      expect(data.map(({ id }) => id)).toEqual([child]);
    });

    it("are listed with their own children, and whether they have received events", async () => {
      const parent = await startParent();
      const [first = "", second = ""] = await call(parent, ["charge", "ship"]);
      await claimDue();
      const [third = ""] = await call(second, ["pack"], { child: { target: { kind: "agent", slug: "packer" } } });
      const until = now + hour;
      const wait = { step: "shipped", branch: "", source: "orders", match: {}, since: 0, until };
      await write(first, {
        steps: [{ ...aStep("shipped", first, until), kind: "event", result: null }],
        waits: [wait],
        transition: { to: "waiting", reason: "sleep", availableAt: until },
      });
      const event = { source: "orders", payload: {}, deliveryId: newId("dlv"), receivedAt: now };
      const [stored] = await store.listWaitsToSearch({ now: until, limit: 1, runId: first });
      expect(await store.deliverEvent({ runId: first, step: stored?.step ?? "", branch: "", event, now })).toBe(true);
      const target = { kind: "workflow", slug: "welcome-email" };
      const all = [
        { runId: first, target, hasEvents: true },
        { runId: second, target, hasEvents: false },
        { runId: third, target: { kind: "agent", slug: "packer" }, hasEvents: false },
      ];
      expect(await store.listDescendants({ runId: parent, limit: 10 })).toEqual(all);
      expect(await store.listDescendants({ runId: parent, limit: 2 })).toEqual(all.slice(0, 2));
      expect(await store.listDescendants({ runId: third, limit: 10 })).toEqual([]);
    });

    it("begin once, even if the write is repeated", async () => {
      const parent = await startParent();
      const child = aRun({ createdAt: now, child: { of: parent, step: "charge", link: "call", depth: 1 } });
      const { token } = heldOf(parent);
      const progress = { runId: parent, token, seq: 1, now, entries: [], children: [child] };
      const steps = [aStep("charge", child.id, null)];
      await store.writeProgress({ ...progress, steps });
      expect(await store.writeProgress({ ...progress, steps })).toMatchObject({ held: true });
      expect((await store.listRuns({ childOf: parent }, { limit: 10, cursor: null })).data).toHaveLength(1);
    });

    it("do not begin if another worker has their parent", async () => {
      const parent = await startParent();
      const child = aRun({ createdAt: now, child: { of: parent, step: "charge", link: "call", depth: 1 } });
      const other = { runId: parent, token: crypto.randomUUID(), now, entries: [] };
      const steps = [aStep("charge", child.id, null)];
      expect(await store.writeProgress({ ...other, steps, children: [child] })).toMatchObject({ held: false });
      expect(await store.getRun(child.id)).toBeNull();
    });

    it("wake a parent that waits, with their output", async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"]);
      await suspend(parent);
      expect(await claimDue()).toEqual([child]);
      await end(child);
      await settle();
      expect(await resultOf(parent, "charge")).toMatchObject({
        runId: child,
        status: "completed",
        output: { of: "child" },
        error: null,
        finishedAt: Date.parse((await runOf(child)).finishedAt ?? ""),
      });
      expect(await kindsOf(store, parent)).toContain("child_finished");
      expect(await claimDue()).toEqual([parent]);
      expect(await store.settleRuns({ now, limit: 10 })).toBe(false);
    });

    it("that end while their parent is active end its next wait at once", async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"]);
      await claimDue();
      await fail(child);
      await settle();
      expect(await statusOf(parent)).toBe("running");
      await suspend(parent);
      expect(await claimDue()).toEqual([parent]);
      expect(await resultOf(parent, "charge")).toMatchObject({
        status: "failed",
        error: { name: "Declined", message: "no funds" },
      });
    });

    it("that are canceled by a person end the call", async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"]);
      await suspend(parent);
      expect(await store.requestCancel(child, (now += 1))).toBe("canceled");
      await settle();
      expect(await resultOf(parent, "charge")).toMatchObject({ status: "canceled", output: null, error: null });
      expect(await claimDue()).toEqual([parent]);
    });

    it("that were started wake no run, and continue after their parent", async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["notify"], { link: "start" });
      await fail(parent);
      await settle();
      expect(await statusOf(child)).toBe("queued");
      await claimDue();
      await end(child);
      expect(await store.settleRuns({ now, limit: 10 })).toBe(false);
    });

    it.each([
      ["fails", "canceled", (id: string) => fail(id)],
      ["times out", "canceled", (id: string) => end(id, { to: "timed_out", error: failure })],
      ["is canceled", "canceled", (id: string) => end(id, { to: "canceled", error: null })],
      ["completes", "queued", (id: string) => end(id)],
      ["is tried again", "queued", (id: string) => end(id, { to: "waiting", reason: "retry", availableAt: far })],
    ])("of a parent that %s are %s", async (_, status, endParent) => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"]);
      const [kept = ""] = await call(parent, ["kept"], { link: "kept_call" });
      await endParent(parent);
      await settle();
      expect([await statusOf(child), await statusOf(kept)]).toEqual([status, "queued"]);
    });

    it("of a canceled parent that waits are canceled, with their own children, and active ones by their worker", async () => {
      const parent = await startParent();
      const [child = "", active = ""] = await call(parent, ["charge", "ship"]);
      await suspend(parent);
      await claimDue();
      const [grandchild = ""] = await call(child, ["pay"]);
      await suspend(child);
      expect(heldOf(child).depth).toBe(1);
      await store.requestCancel(parent, (now += 1));
      await settle();
      expect([await statusOf(child), await statusOf(grandchild)]).toEqual(["canceled", "canceled"]);
      expect(await store.listCancelRequested([active])).toEqual([active]);
      await end(active);
      await settle();
      expect(await statusOf(active)).toBe("completed");
    });

    it("are canceled in parts if they are many", async () => {
      const parent = await startParent();
      const names = Array.from({ length: 25 }, (_, at) => `part ${at}`);
      const children = await call(parent, names);
      await fail(parent);
      await settle();
      expect(new Set(await Promise.all(children.map(statusOf)))).toEqual(new Set(["canceled"]));
    });

    it("are canceled when their call times out, and their parent continues without a result", async () => {
      const parent = await startParent();
      const until = now + hour;
      const [child = ""] = await call(parent, ["charge"], { until });
      const [other = ""] = await call(parent, ["other"]);
      await suspend(parent);
      await claimDue();
      expect(await claimDue()).toEqual([]);
      now = until;
      expect(await claimDue()).toEqual([parent]);
      await suspend(parent);
      expect(await claimDue()).toEqual([parent]);
      await settle();
      expect(await resultOf(parent, "charge")).toMatchObject({ runId: child, finishedAt: until });
      expect((await resultOf(parent, "charge"))?.status).toBeUndefined();
      expect(await store.listCancelRequested([child, other])).toEqual([child]);
    });

    it("that end after their call has timed out change nothing", async () => {
      const parent = await startParent();
      const until = now + hour;
      const [child = ""] = await call(parent, ["charge"], { until, link: "kept_call" });
      await suspend(parent);
      await claimDue();
      now = until;
      await claimDue();
      await suspend(parent);
      await end(child);
      await settle();
      expect((await resultOf(parent, "charge"))?.status).toBeUndefined();
      expect(await statusOf(child)).toBe("completed");
    });

    it("are what their parent waits for", async () => {
      const parent = await startParent();
      const children = await call(parent, ["charge", "ship"]);
      await suspend(parent);
      const waits = await store.findWaits({ ids: [parent], limits: new Map(), now });
      expect(waits.get(parent)).toEqual({ waitsFor: { kind: "child", runId: children[0], count: 2 } });
    });

    it("are not what their parent waits for while it waits for its next attempt", async () => {
      const parent = await startParent();
      await call(parent, ["charge"]);
      await end(parent, { to: "waiting", reason: "retry", availableAt: far });
      expect(await store.findWaits({ ids: [parent], limits: new Map(), now })).toEqual(new Map());
    });

    const resume = async (id: string) => {
      const { attempt } = await runOf(id);
      return (await store.resumeRuns([aResume({ id, seenAttempt: attempt })], (now += 1)))[0];
    };
    /** The parent calls a child, gets its failure, and fails with it. */
    const failTogether = async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"], { until: now + hour });
      await suspend(parent);
      await claimDue();
      await fail(child);
      await settle();
      await claimDue();
      const [step] = await store.listSteps(parent, { name: "charge", after: 0, limit: 1 });
      if (!step) throw new Error("the step is missing");
      const { position: _, ...record } = step;
      await write(parent, { steps: [{ ...record, sequence: 1 }] });
      await fail(parent);
      return { parent, child };
    };

    it("with whose failure their parent has failed are resumed with it, and it gets their result", async () => {
      const { parent, child } = await failTogether();
      expect(await store.reopenCalls({ runId: parent, fatalId: null, now: (now += 1) })).toEqual([child]);
      // Again, as after a crash between the two writes.
      expect(await store.reopenCalls({ runId: parent, fatalId: null, now: (now += 1) })).toEqual([child]);
      expect([await resume(parent), await resume(child)]).toEqual([null, null]);
      expect((await claimDue()).toSorted()).toEqual([parent, child].toSorted());
      expect((await store.loadSteps(parent))[0]).toMatchObject({ finishedAt: null, sequence: null });
      await end(child);
      await settle();
      await suspend(parent);
      expect(await claimDue()).toEqual([parent]);
      expect(await resultOf(parent, "charge")).toMatchObject({ status: "completed", error: null });
    });

    it("that were resumed alone give their result to a parent that is resumed later", async () => {
      const { parent, child } = await failTogether();
      await resume(child);
      await claimDue();
      await end(child);
      await settle();
      expect(await store.reopenCalls({ runId: parent, fatalId: null, now: (now += 1) })).toEqual([]);
      await resume(parent);
      await claimDue();
      await suspend(parent);
      await settle();
      expect(await resultOf(parent, "charge")).toMatchObject({ status: "completed" });
      expect(await claimDue()).toEqual([parent]);
    });

    it("whose failure their parent has handled are not waited for again", async () => {
      const { parent } = await failTogether();
      await resume(parent);
      await claimDue();
      const done = { kind: "step", attempt: 2, startedAt: now, finishedAt: now, until: null, result: 1 } as const;
      await write(parent, { steps: [{ ...done, name: "refund", sequence: 2 }] });
      await fail(parent);
      expect(await store.reopenCalls({ runId: parent, fatalId: null, now: (now += 1) })).toEqual([]);
      expect((await resultOf(parent, "charge"))?.status).toBe("failed");
    });

    it("that were canceled with their parent are resumed with it, and so are their children", async () => {
      const parent = await startParent();
      const [bad = "", good = ""] = await call(parent, ["bad", "good"]);
      await claimDue();
      const [grandchild = ""] = await call(good, ["pay"]);
      await suspend(good);
      await suspend(parent);
      await fail(bad);
      await settle();
      await claimDue();
      await fail(parent);
      await settle();
      await end(grandchild, { to: "canceled", error: null });
      expect([await statusOf(good), await statusOf(grandchild)]).toEqual(["canceled", "canceled"]);
      const reopen = (runId: string) => store.reopenCalls({ runId, fatalId: null, now: (now += 1) });
      expect((await reopen(parent)).toSorted()).toEqual([bad, good].toSorted());
      expect(await reopen(good)).toEqual([grandchild]);
      const orders = [parent, bad, good, grandchild].map((id) => ({ id, isWithParent: id !== parent }));
      const attempts = await Promise.all(orders.map(async ({ id }) => (await runOf(id)).attempt));
      const resumed = orders.map((order, at) => aResume({ ...order, seenAttempt: attempts[at] ?? 0 }));
      expect(await store.resumeRuns(resumed, (now += 1))).toEqual([null, null, null, null]);
      for (const id of await claimDue()) if (id === grandchild || id === bad) await end(id);
      await settle();
      await suspend(good);
      await suspend(parent);
      expect((await claimDue()).toSorted()).toEqual([good, parent].toSorted());
      await end(good);
      await settle();
      expect([await resultOf(parent, "bad"), await resultOf(parent, "good")]).toMatchObject([
        { status: "completed" },
        { status: "completed" },
      ]);
    });

    /** The parent gets the ends of its children, in this order, and fails. */
    const failWithAll = async (parent: string, names: readonly string[]) => {
      await suspend(parent);
      await settle();
      await claimDue();
      const steps = await Promise.all(
        names.map(async (name, at) => {
          const [step] = await store.listSteps(parent, { name, after: 0, limit: 1 });
          if (!step) throw new Error(`${name} is missing`);
          const { position: _, ...record } = step;
          return { ...record, sequence: at + 1 };
        }),
      );
      await write(parent, { steps });
      await fail(parent);
    };

    it("that have all failed are resumed with their parent by one resume, beside one that has completed", async () => {
      const parent = await startParent();
      const [first = "", good = "", last = ""] = await call(parent, ["first", "good", "last"]);
      await claimDue();
      for (const id of [first, last]) await fail(id);
      await end(good);
      await failWithAll(parent, ["first", "good", "last"]);
      const reopened = await store.reopenCalls({ runId: parent, fatalId: null, now: (now += 1) });
      expect(reopened.toSorted()).toEqual([first, last].toSorted());
      expect(await resultOf(parent, "good")).toMatchObject({ status: "completed", finishedAt: expect.any(Number) });
    });

    it("that have all failed and were resumed alone give their results to their parent", async () => {
      const parent = await startParent();
      const children = await call(parent, ["a", "b", "c"]);
      await claimDue();
      for (const id of children) await fail(id);
      await failWithAll(parent, ["a", "b", "c"]);
      for (const id of children) await resume(id);
      await claimDue();
      for (const id of children) await end(id);
      await settle();
      expect(await store.reopenCalls({ runId: parent, fatalId: children[0] ?? null, now: (now += 1) })).toEqual([]);
      await resume(parent);
      await settle();
      const results = await Promise.all(["a", "b", "c"].map((name) => resultOf(parent, name)));
      expect(results.map((result) => result?.status)).toEqual(["completed", "completed", "completed"]);
    });

    it("whose failure ended their parent are resumed even if another branch of the parent has begun a step since", async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"]);
      await claimDue();
      await fail(child);
      await settle();
      const step = { kind: "step", attempt: 1, finishedAt: now + 5, until: null, result: 1 } as const;
      await write(parent, { steps: [{ ...step, name: "other branch", startedAt: now + 5, sequence: 2 }] });
      now += 10;
      await failWithAll(parent, ["charge"]);
      expect(await store.reopenCalls({ runId: parent, fatalId: null, now: (now += 1) })).toEqual([]);
      expect(await store.reopenCalls({ runId: parent, fatalId: child, now: (now += 1) })).toEqual([child]);
    });

    it("that were canceled stay canceled when their parent is resumed", async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"]);
      await suspend(parent);
      await store.requestCancel(child, (now += 1));
      await settle();
      await claimDue();
      await fail(parent);
      expect(await store.reopenCalls({ runId: parent, fatalId: null, now: (now += 1) })).toEqual([]);
      expect(await resultOf(parent, "charge")).toMatchObject({ status: "canceled" });
    });

    it("that are resumed after their parent has ended do not change it", async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"], { link: "kept_call" });
      await end(parent);
      await claimDue();
      await fail(child);
      await settle();
      expect(await store.resumeRuns([aResume({ id: child })], (now += 1))).toEqual([null]);
      await claimDue();
      await end(child);
      await settle();
      expect(await statusOf(parent)).toBe("completed");
    });

    it("that ended while their parent had failed end its call when it is resumed", async () => {
      const parent = await startParent();
      const [canceled = ""] = await call(parent, ["charge"]);
      const [kept = ""] = await call(parent, ["ship"], { link: "kept_call" });
      await fail(parent);
      await claimDue();
      await end(kept);
      await settle();
      expect(await store.resumeRuns([aResume({ id: parent })], (now += 1))).toEqual([null]);
      await claimDue();
      await suspend(parent);
      await end(canceled, { to: "canceled", error: null });
      await settle();
      expect(await resultOf(parent, "charge")).toMatchObject({ runId: canceled, status: "canceled" });
      expect(await resultOf(parent, "ship")).toMatchObject({ runId: kept, status: "completed" });
      expect(await claimDue()).toEqual([parent]);
    });

    it("that end do not shorten the wait of their parent for its next attempt", async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"]);
      await claimDue();
      const retryAt = now + hour;
      await end(parent, { to: "waiting", reason: "retry", availableAt: retryAt });
      await end(child);
      await settle();
      expect(await resultOf(parent, "charge")).toMatchObject({ status: "completed" });
      expect(await claimDue()).toEqual([]);
      now = retryAt;
      expect(await claimDue()).toEqual([parent]);
    });

    it("that have ended are not removed before their parent has their result, and may be removed before it continues", async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"]);
      await suspend(parent);
      await claimDue();
      await end(child);
      const remove = () => store.removeOldRuns({ before: far, after: null });
      expect((await remove()).removed).toBe(0);
      await settle();
      expect((await remove()).removed).toBe(1);
      expect(await store.getRun(child)).toBeNull();
      expect(await resultOf(parent, "charge")).toMatchObject({ runId: child, output: { of: "child" } });
      expect(await claimDue()).toEqual([parent]);
      await suspend(parent);
      expect(await claimDue()).toEqual([parent]);
    });

    it("keep their parent that has failed until they are canceled", async () => {
      const parent = await startParent();
      const [child = ""] = await call(parent, ["charge"]);
      await fail(parent);
      const remove = () => store.removeOldRuns({ before: far, after: null });
      expect((await remove()).removed).toBe(0);
      await settle();
      expect(await statusOf(child)).toBe("canceled");
      for (let next = (await remove()).next; next; { next } = await store.removeOldRuns({ before: far, after: next }));
      expect([await store.getRun(parent), await store.getRun(child)]).toEqual([null, null]);
    });

    it("end each call once and in any order of ends, suspensions and settlements", async () => {
      const operation = fc.constantFrom("suspend", "claim", "settle", "complete", "fail", "cancel");
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 25 }), fc.integer({ min: 1, max: 4 }), async (all, count) => {
          const parent = await startParent();
          const children = await call(
            parent,
            Array.from({ length: count }, (_, at) => `part ${at}`),
          );
          const active = new Set([parent]);
          const apply = async (name: (typeof all)[number]) => {
            const [child] = children.filter((id) => active.has(id));
            if (name === "claim") for (const id of await claimDue()) active.add(id);
            else if (name === "settle") await settle();
            else if (name === "suspend") {
              if (active.delete(parent)) await suspend(parent);
            } else if (name === "cancel") {
              const queued = children.find((id) => !claimed.has(id));
              if (queued !== undefined) await store.requestCancel(queued, (now += 1));
            } else if (child !== undefined) {
              active.delete(child);
              await (name === "fail" ? fail(child) : end(child));
            }
          };
          for (const one of all) await apply(one);
          for (const one of ["suspend", "claim"] as const) await apply(one);
          for (const child of children) if (active.delete(child)) await end(child);
          await settle();
          // The parent is due, or has all its results already.
          const steps = await Promise.all(children.map((_, at) => resultOf(parent, `part ${at}`)));
          const ended = await Promise.all(children.map(statusOf));
          expect(steps.map((step) => step?.status)).toEqual(ended);
          expect(ended.every(isEnded)).toBe(true);
          const kinds = await kindsOf(store, parent);
          expect(kinds.filter((kind) => kind === "child_finished")).toHaveLength(count);
          expect(await claimDue()).toEqual(active.has(parent) ? [] : [parent]);
          await end(parent);
        }),
        { numRuns: 25 },
      );
    });
  });
}
