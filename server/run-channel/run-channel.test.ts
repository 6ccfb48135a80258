import { aConcurrency } from "../store/testing/factories.ts";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AppError } from "../contract/app-error.ts";
import { leaseMs } from "../domain/runs/lease.ts";
import { createThrottledLogger, silentLogger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { openMessageStream, protocolVersion } from "./messages.ts";
import { createChannelHarness, createMemoryTransport, createSocketTransport } from "./testing/channel-harness.ts";

/** Delays the acknowledgements of writes after their commit. */
function withGate() {
  let gate: Promise<void> | null = null;
  const commits: string[] = [];
  return {
    commits,
    wrap: (store: Store): Store => ({
      ...store,
      async writeProgress(progress) {
        const result = await store.writeProgress(progress);
        commits.push(progress.transition?.to ?? progress.steps?.map(({ name }) => name).join() ?? "");
        await gate;
        return result;
      },
    }),
    shut() {
      const opening = Promise.withResolvers<void>();
      gate = opening.promise;
      return () => {
        gate = null;
        opening.resolve();
      };
    },
  };
}

/** Counts the runs of each extension of leases. */
const countRenewals =
  (renewals: number[]) =>
  (store: Store): Store => ({
    ...store,
    extendLeases(p) {
      renewals.push(p.runs.length);
      return store.extendLeases(p);
    },
  });

const hang = () => new Promise<never>(() => {});
const transports = [
  ["in memory", async () => createMemoryTransport()],
  ["over a local socket", createSocketTransport],
] as const;

describe.each(transports)("the run channel %s", (_, createTransport) => {
  async function open(wrap?: (store: Store) => Store) {
    const h = await createChannelHarness(await createTransport(), wrap ? { wrap } : {});
    onTestFinished(() => h.close());
    return h;
  }
  test("assigns a queued run; its steps are written when they are acknowledged, then its end", async () => {
    const h = await open();
    await h.startHost();
    const seen: string[][] = [];
    const worker = await h.startWorker({
      run: async (_input, ctx) => {
        await ctx.step("a", () => 1);
        seen.push((await h.store.loadSteps(ctx.run.id)).map(({ name }) => name));
        await ctx.step("b", () => 2);
        seen.push((await h.store.loadSteps(ctx.run.id)).map(({ name }) => name));
        return "done";
      },
    });
    const id = await h.startRun();
    await vi.waitFor(() => expect(worker.ended).toHaveLength(1));
    expect(seen).toEqual([["a"], ["a", "b"]]);
    const { run, kinds } = await h.read(id);
    expect(run).toMatchObject({ status: "completed", output: "done" });
    expect(kinds).toEqual([
      "queued",
      "attempt_started",
      "step_started a",
      "step_completed a",
      "step_started b",
      "step_completed b",
      "completed",
    ]);
    expect(worker.loop.active()).toEqual([]);
  });

  test("assigns an accepted run by the commit of its delivery, without a claim", async () => {
    const claims: unknown[] = [];
    const h = await open((store) => ({ ...store, claimRuns: (p) => (claims.push(p), store.claimRuns(p)) }));
    await h.startHost();
    const worker = await h.startWorker({ run: (input) => input });
    await vi.waitFor(() => expect(claims).toHaveLength(1));
    const [id = ""] = await h.acceptRuns(1, { payload: { a: [1] }, input: { b: "\ud83d" } });
    await vi.waitFor(() => expect(worker.ended).toHaveLength(1));
    expect(worker.ended[0]?.run).toMatchObject({ id, payload: { a: [1] }, attempt: 1, isResumed: false, steps: [] });
    const { run, kinds } = await h.read(id);
    expect(run).toMatchObject({ status: "completed", output: { b: "\ud83d" }, attempt: 1 });
    expect(kinds).toEqual(["queued", "attempt_started", "completed"]);
    expect(claims).toHaveLength(1);
  });

  test("of many accepted runs, those that find no free slot are queued, and none begins before an older one", async () => {
    const h = await open();
    await h.startHost();
    const began: string[] = [];
    await h.startWorker({ capacity: 3, run: async (_input, ctx) => void began.push(ctx.run.id) });
    const accepted: string[] = [];
    for (let n = 0; n < 20; n += 1) accepted.push(...(await h.acceptRuns(2)));
    await vi.waitFor(() => expect(began).toHaveLength(40));
    expect(began).toEqual(accepted);
  });

  test("an accepted run whose worker disconnects before the commit is recovered at once", async () => {
    const gate = Promise.withResolvers<void>();
    const h = await open((store) => ({
      ...store,
      async acceptDelivery(p) {
        const result = await store.acceptDelivery(p);
        await gate.promise;
        return result;
      },
    }));
    await h.startHost();
    const worker = await h.startWorker({ run: () => "done" });
    const accepting = h.acceptRuns(1);
    await vi.waitFor(async () => expect((await h.store.countOpenRuns()).running).toBe(1));
    worker.disconnect();
    gate.resolve();
    const [id = ""] = await accepting;
    await vi.waitFor(async () => expect((await h.read(id)).run.status).toBe("completed"));
    expect((await h.read(id)).run.attempt).toBe(1);
  });

  test("a delivery that is not stored leaves its slots free", async () => {
    let isBroken = true;
    const h = await open((store) => ({
      ...store,
      acceptDelivery: (p) =>
        isBroken ? Promise.reject(new AppError("store_unavailable", "The disk is full.")) : store.acceptDelivery(p),
    }));
    await h.startHost();
    const worker = await h.startWorker({ capacity: 2, run: hang });
    for (let n = 0; n < 3; n += 1) await expect(h.acceptRuns(2)).rejects.toThrow("The disk is full.");
    isBroken = false;
    await h.acceptRuns(2);
    await vi.waitFor(() => expect(worker.loop.active()).toHaveLength(2));
  });

  test("accepted runs of a target with limited concurrency are claimed one after the other", async () => {
    const h = await open();
    await h.startHost();
    const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const began: string[] = [];
    const worker = await h.startWorker({
      run: async (_input, ctx) => {
        began.push(ctx.run.id);
        await ends[began.length - 1]?.promise;
      },
      identity: { limits: [["workflow:work", aConcurrency({ limit: 1 })]] },
    });
    const accepted = await h.acceptRuns(2);
    await vi.waitFor(() => expect(worker.loop.active()).toHaveLength(1));
    expect(await h.store.countOpenRuns()).toMatchObject({ queued: 1, running: 1 });
    ends[0]?.resolve();
    await vi.waitFor(() => expect(began).toEqual(accepted));
    ends[1]?.resolve();
    await vi.waitFor(() => expect(worker.ended).toHaveLength(2));
  });

  test("an accepted run of another version than the workers' is queued", async () => {
    const h = await open();
    const host = await h.startHost();
    await h.startWorker({ run: hang, identity: { version: "v2" } });
    host.stop();
    await h.acceptRuns(1);
    expect(await h.store.countOpenRuns()).toMatchObject({ queued: 1, running: 0 });
  });

  test("assigns a resumed run with its steps: none of them is executed again", async () => {
    const h = await open();
    const host = await h.startHost();
    const executed: string[] = [];
    const worker = await h.startWorker({
      run: async (_input, ctx) => {
        await ctx.step("a", () => void executed.push("a"));
        await ctx.sleep("nap", "1h");
        await ctx.step("b", () => void executed.push("b"));
      },
    });
    const id = await h.startRun();
    await vi.waitFor(() => expect(worker.ended).toHaveLength(1));
    h.advance(3_600_000);
    host.wake();
    await vi.waitFor(async () => expect((await h.read(id)).run.status).toBe("completed"));
    expect(executed).toEqual(["a", "b"]);
  });

  test("never assigns more runs than a worker's capacity, and assigns all in the end", async () => {
    const h = await open();
    await h.startHost();
    let active = 0;
    let most = 0;
    const worker = await h.startWorker({
      capacity: 3,
      run: async () => {
        active += 1;
        most = Math.max(most, active);
        await new Promise(setImmediate);
        active -= 1;
      },
    });
    await Promise.all(Array.from({ length: 40 }, () => h.startRun()));
    await vi.waitFor(() => expect(worker.ended).toHaveLength(40));
    expect(most).toBe(3);
  });

  test("divides runs evenly between workers", async () => {
    const h = await open();
    const host = await h.startHost();
    const ids = ["wrk_a", "wrk_b", "wrk_c"];
    const workers = await Promise.all(ids.map((id) => h.startWorker({ id, run: hang })));
    await host.hold(ids);
    for (let n = 0; n < 12; n += 1) await h.startRun();
    host.release(ids);
    await vi.waitFor(() => expect(workers.map(({ loop }) => loop.active().length)).toEqual([4, 4, 4]));
  });

  test("cancels a run at once, by a signal or after another process has requested it", async () => {
    const h = await open();
    const host = await h.startHost();
    const worker = await h.startWorker({ run: hang });
    const [first, second] = [await h.startRun(), await h.startRun()];
    await vi.waitFor(() => expect(worker.loop.active()).toHaveLength(2));
    host.cancel(first);
    const other = await h.openOtherStore();
    await other.requestCancel(second, h.clock.now());
    await vi.waitFor(() => expect(worker.ended.map(({ ending }) => ending.status)).toEqual(["canceled", "canceled"]));
    await other.close();
  });

  describe.each([
    ["the connection broke", async () => {}],
    ["the host was restarted", async (h: Awaited<ReturnType<typeof open>>) => void (await h.startHost())],
  ])("when an answer is lost because %s", (_reason, restart) => {
    test("a step is written once, and executed once", async () => {
      const gate = withGate();
      const h = await open(gate.wrap);
      await h.startHost();
      const reopen = gate.shut();
      let executed = 0;
      const worker = await h.startWorker({ run: (_input, ctx) => ctx.step("a", () => (executed += 1)) });
      const id = await h.startRun();
      await vi.waitFor(() => expect(gate.commits).toContain("a"));
      worker.disconnect();
      reopen();
      await restart(h);
      await vi.waitFor(() => expect(worker.ended).toHaveLength(1));
      expect(gate.commits.filter((commit) => commit === "a").length).toBeGreaterThan(1);
      const { kinds, run } = await h.read(id);
      expect(kinds).toEqual(["queued", "attempt_started", "step_started a", "step_completed a", "completed"]);
      expect([executed, run.status]).toEqual([1, "completed"]);
    });

    test("the end of a run is written once, and acknowledged to its worker", async () => {
      const gate = withGate();
      const h = await open(gate.wrap);
      await h.startHost();
      const reopen = gate.shut();
      const worker = await h.startWorker({ run: () => "done" });
      const id = await h.startRun();
      await vi.waitFor(() => expect(gate.commits).toEqual(["completed"]));
      worker.disconnect();
      reopen();
      await restart(h);
      await vi.waitFor(() => expect(worker.ended[0]?.ending.status).toBe("completed"));
      expect((await h.read(id)).kinds).toEqual(["queued", "attempt_started", "completed"]);
    });
  });

  test("without a connection, code continues to the end of its step, and the step is written after the reconnection", async () => {
    const h = await open();
    await h.startHost();
    const executed: string[] = [];
    const goOn = Promise.withResolvers<void>();
    let isReachable = true;
    const worker = await h.startWorker({
      connect: () => (isReachable ? h.transport.connect() : Promise.reject(new Error("connect ECONNREFUSED"))),
      run: async (_input, ctx) => {
        await ctx.step("a", async () => {
          await goOn.promise;
          executed.push("a");
        });
        await ctx.step("b", () => void executed.push("b"));
      },
    });
    const id = await h.startRun();
    await vi.waitFor(() => expect(worker.loop.active()).toHaveLength(1));
    isReachable = false;
    worker.disconnect();
    goOn.resolve();
    await vi.waitFor(() => expect(executed).toEqual(["a"]));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([executed, (await h.read(id)).kinds]).toEqual([["a"], expect.not.arrayContaining(["step_completed a"])]);
    isReachable = true;
    await vi.waitFor(async () => expect((await h.read(id)).run.status).toBe("completed"));
    expect(executed).toEqual(["a", "b"]);
  });

  test("a run that did not reach its worker is recovered at once", async () => {
    const h = await open();
    const host = await h.startHost();
    const worker = await h.startWorker({ run: () => "done" });
    await host.hold(["wrk_a"]);
    const id = await h.startRun();
    await h.claim("wrk_a");
    host.release(["wrk_a"]);
    worker.disconnect();
    await vi.waitFor(async () => expect((await h.read(id)).run.status).toBe("completed"));
    const { run, timeline } = await h.read(id);
    expect(run.attempt).toBe(1);
    expect(timeline.find(({ kind }) => kind === "worker_lost")?.message).toBe("The run did not reach its worker.");
  });

  test("the runs of a dead worker continue on another at once, after their last step", async () => {
    const h = await open();
    const host = await h.startHost();
    const executed: string[] = [];
    const workflow = (id: string) => ({
      id,
      run: async (_input: never, ctx: Parameters<Parameters<typeof h.startWorker>[0]["run"]>[1]) => {
        await ctx.step("a", () => void executed.push(`${id} a`));
        await ctx.step("b", () => {
          executed.push(`${id} b`);
          return id === "wrk_a" ? hang() : null;
        });
      },
    });
    const dead = await h.startWorker(workflow("wrk_a"));
    const id = await h.startRun();
    await vi.waitFor(() => expect(executed).toEqual(["wrk_a a", "wrk_a b"]));
    await h.startWorker(workflow("wrk_b"));
    dead.kill();
    const death = { kind: "requested" } as const;
    const runs = await host.workerDied({ workerId: "wrk_a", death, deadlines: new Map() });
    expect(runs).toMatchObject([{ id, fate: { kind: "resume" } }]);
    await vi.waitFor(async () => expect((await h.read(id)).run.status).toBe("completed"));
    expect(executed).toEqual(["wrk_a a", "wrk_a b", "wrk_b b"]);
    expect(await h.store.listWorkers({ seenSince: 0 })).toMatchObject([{ id: "wrk_b" }]);
  });

  test("nothing is written for a worker whose run was assigned to another, and it stops the run", async () => {
    const h = await open();
    const host = await h.startHost();
    const late = Promise.withResolvers<void>();
    const slow = await h.startWorker({ id: "wrk_slow", run: (_input, ctx) => ctx.step("a", () => late.promise) });
    const id = await h.startRun();
    await vi.waitFor(async () => expect((await h.read(id)).kinds).toContain("step_started a"));
    await h.startWorker({ id: "wrk_quick", run: (_input, ctx) => ctx.step("a", () => "quick") });
    await host.hold(["wrk_slow"]);
    h.advance(20_000);
    expect(await h.store.reconcile(h.clock.now())).toBe(1);
    host.wake();
    await vi.waitFor(async () => expect((await h.read(id)).run.status).toBe("completed"));
    const before = await h.read(id);
    late.resolve();
    await vi.waitFor(() => expect(slow.ended.map(({ ending }) => ending.status)).toEqual([null]));
    expect(await h.read(id)).toEqual(before);
    expect(before.run.output).toBe("quick");
  });

  test("extends the leases of living workers in one write, and not those of a paused one", async () => {
    const renewals: number[] = [];
    const h = await open(countRenewals(renewals));
    await h.startHost({ leaseMs: 900 });
    const workers = await Promise.all(["wrk_a", "wrk_b"].map((id) => h.startWorker({ id, capacity: 2, run: hang })));
    for (let n = 0; n < 4; n += 1) await h.startRun();
    await vi.waitFor(() => expect(workers.map(({ loop }) => loop.active().length)).toEqual([2, 2]));
    for (let n = 0; n < 3; n += 1) {
      h.advance(600);
      const count = renewals.length;
      await vi.waitFor(() => expect(renewals.slice(count)).toContain(4));
      expect(await h.store.reconcile(h.clock.now())).toBe(0);
    }
    workers[0]?.pause();
    await vi.waitFor(() => expect(renewals.at(-1)).toBe(2));
  });

  test("the leases of runs begin with their assignment: after an idle hour, writes extend none", async () => {
    const renewals: number[] = [];
    const h = await open(countRenewals(renewals));
    await h.startHost();
    await h.startWorker({ capacity: 20, run: (_input, ctx) => ctx.step("a", () => "done") });
    renewals.length = 0;
    h.advance(3_600_000);
    const ids = await Promise.all(Array.from({ length: 20 }, () => h.startRun()));
    for (const id of ids) await vi.waitFor(async () => expect((await h.read(id)).run.status).toBe("completed"));
    expect(renewals).toEqual([]);
  });

  test("writes that arrive while missed leases are extended share that extension", async () => {
    const renewals: number[] = [];
    const h = await open(countRenewals(renewals));
    await h.startHost();
    const woken = Promise.withResolvers<void>();
    const worker = await h.startWorker({
      capacity: 20,
      run: async (_input, ctx) => {
        await woken.promise;
        await ctx.step("a", () => "done");
      },
    });
    const ids = await Promise.all(Array.from({ length: 20 }, () => h.startRun()));
    await vi.waitFor(() => expect(worker.loop.active()).toHaveLength(20));
    renewals.length = 0;
    h.advance(10_000);
    woken.resolve();
    for (const id of ids) await vi.waitFor(async () => expect((await h.read(id)).run.status).toBe("completed"));
    expect(renewals).toEqual([20]);
  });

  test("the runs of a paused worker go to another when its lease expires, and it is assigned none", async () => {
    const h = await open();
    const host = await h.startHost({ leaseMs: 300 });
    await host.start();
    const paused = await h.startWorker({ id: "wrk_paused", run: hang });
    const id = await h.startRun();
    await vi.waitFor(() => expect(paused.loop.active()).toHaveLength(1));
    paused.pause();
    await h.startWorker({ id: "wrk_b", capacity: 1, run: () => "done" });
    const untilDone = async () => {
      h.advance(100);
      expect((await h.read(id)).run).toMatchObject({ status: "completed", attempt: 1 });
    };
    await vi.waitFor(untilDone, { interval: 100 });
    const others = await Promise.all(Array.from({ length: 10 }, () => h.startRun()));
    await vi.waitFor(async () =>
      expect((await Promise.all(others.map((other) => h.read(other)))).map(({ run }) => run.status)).toEqual(
        others.map(() => "completed"),
      ),
    );
  });

  test("a worker that continues after its lease, when no other has its run, begins no step before its lease is extended", async () => {
    const h = await open();
    await h.startHost();
    const woken = Promise.withResolvers<void>();
    const expired: number[] = [];
    const worker = await h.startWorker({
      run: async (_input, ctx) => {
        await woken.promise;
        await ctx.step("late", async () => void expired.push(await h.store.reconcile(h.clock.now())));
      },
    });
    const id = await h.startRun();
    await vi.waitFor(() => expect(worker.loop.active()).toHaveLength(1));
    h.advance(60_000);
    woken.resolve();
    await vi.waitFor(() => expect(worker.ended).toHaveLength(1));
    expect(expired).toEqual([0]);
    expect((await h.read(id)).run).toMatchObject({ status: "completed", attempt: 1 });
  });

  test("a worker whose lease was not extended in time begins no step with little of it left", async () => {
    const h = await open();
    await h.startHost();
    const woken = Promise.withResolvers<void>();
    const expired: number[] = [];
    await h.startWorker({
      run: async (_input, ctx) => {
        await ctx.step("first", () => woken.promise);
        await ctx.step("long", async () => {
          // Less than a third of a lease: the regular extension may not have come yet.
          h.advance(3_000);
          expired.push(await h.store.reconcile(h.clock.now()));
        });
      },
    });
    const id = await h.startRun();
    await vi.waitFor(async () => expect((await h.read(id)).kinds).toContain("step_started first"));
    h.advance(leaseMs - 2_600);
    woken.resolve();
    await vi.waitFor(async () => expect((await h.read(id)).run.status).toBe("completed"));
    expect(expired).toEqual([0]);
    expect((await h.read(id)).kinds).not.toContain("worker_lost");
  });

  test("the next host takes no runs from a living worker that has not reconnected yet, however long that takes", async () => {
    const h = await open();
    await h.startHost();
    let isReachable = true;
    const goOn = Promise.withResolvers<void>();
    const away = await h.startWorker({
      connect: () => (isReachable ? h.transport.connect() : Promise.reject(new Error("connect ECONNREFUSED"))),
      run: () => goOn.promise,
    });
    const id = await h.startRun();
    await vi.waitFor(() => expect(away.loop.active()).toHaveLength(1));
    isReachable = false;
    const next = await h.startHost({
      leaseMs: 300,
      reconcileEveryMs: 50,
      workers: { known: [away.id], held: [] },
    });
    await next.start();
    await h.startWorker({ id: "wrk_b", run: () => "done" });
    for (let n = 0; n < 20; n += 1) {
      h.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    isReachable = true;
    await vi.waitFor(() => expect(away.loop.active()).toHaveLength(1));
    goOn.resolve();
    await vi.waitFor(async () => expect((await h.read(id)).run.status).toBe("completed"));
    expect((await h.read(id)).kinds).not.toContain("worker_lost");
    expect(away.ended).toMatchObject([{ ending: { status: "completed" } }]);
  });

  test("the next host recovers the runs of a worker whose death is reported to it, according to that death", async () => {
    const h = await open();
    await h.startHost();
    const dead = await h.startWorker({ run: hang });
    const id = await h.startRun();
    await vi.waitFor(() => expect(dead.loop.active()).toHaveLength(1));
    dead.kill();
    const next = await h.startHost({ workers: { known: [dead.id], held: [] } });
    await next.start();
    expect((await h.read(id)).run.status).toBe("running");
    const death = { kind: "crashed", how: "ended with exit code 3" } as const;
    const lost = { workerId: dead.id, death, deadlines: new Map<string, number>() };
    expect(await next.workerDied(lost)).toMatchObject([{ fate: { kind: "fail" } }]);
    // The supervisor repeats a report whose answer did not reach it.
    expect(await next.workerDied(lost)).toEqual([]);
    expect((await h.read(id)).run.status).toBe("failed");
  });

  test.each([
    ["the build that accepted it", { versions: "pin", isKept: true }, { delayMs: 50, onFailure: "v1" }],
    ["the current build, if the accepting one is gone", { versions: "pin", isKept: false }, { delayMs: 7_000 }],
    ["the current build for versions: latest", { versions: "latest", isKept: true }, { delayMs: 7_000 }],
  ] as const)(
    "a run whose worker crashed is retried by the policy of %s",
    async (_name, { versions, isKept }, expected) => {
      const h = await open();
      const build = (version: string, initialMs: number, onFailure?: () => null) => {
        const { manifest } = h.code({ run: () => null, retries: { initialMs }, ...(onFailure ? { onFailure } : {}) });
        return { ...manifest, version, workflows: manifest.workflows.map((one) => ({ ...one, versions })) };
      };
      const accepting = build("v1", 50, () => null);
      const host = await h.startHost({
        readManifest: async () => build("v2", 7_000),
        readBuild: async (version) => (isKept && version === "v1" ? accepting : null),
      });
      async function crash(maxAttempts: number) {
        const worker = await h.startWorker({ id: `wrk_${maxAttempts}`, run: hang });
        const id = await h.startRun({ maxAttempts });
        await vi.waitFor(() => expect(worker.loop.active()).toHaveLength(1));
        worker.kill();
        const death = { kind: "crashed", how: "ended with exit code 3" } as const;
        await host.workerDied({ workerId: worker.id, death, deadlines: new Map() });
        return (await h.read(id)).timeline;
      }
      const retried = (await crash(2)).find(({ kind }) => kind === "retry_scheduled");
      expect(Date.parse(retried?.until ?? "") - h.clock.now()).toBe(expected.delayMs);
      await crash(1);
      const { data } = await h.store.listRuns({}, { limit: 10, cursor: null });
      const ofOnFailure = data.filter(({ startedBy }) => startedBy === "failure");
      expect(ofOnFailure.map(({ version }) => version)).toEqual("onFailure" in expected ? [expected.onFailure] : []);
    },
  );

  test("the next host assigns nothing to workers that were held before it started", async () => {
    const h = await open();
    const host = await h.startHost({ workers: { known: [], held: ["wrk_a"] } });
    const worker = await h.startWorker({ run: () => null });
    const id = await h.startRun();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await h.read(id)).run.status).toBe("queued");
    host.release(["wrk_a"]);
    await vi.waitFor(() => expect(worker.ended).toHaveLength(1));
  });

  test("a hold resolves when nothing more is assigned, until the release", async () => {
    const h = await open();
    const host = await h.startHost();
    const worker = await h.startWorker({ run: () => null });
    await host.hold(["wrk_a"]);
    const id = await h.startRun();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await h.read(id)).run.status).toBe("queued");
    host.release(["wrk_a"]);
    await vi.waitFor(() => expect(worker.ended).toHaveLength(1));
  });

  test("a draining worker is assigned nothing more, and is done when its runs have ended", async () => {
    const h = await open();
    await h.startHost();
    const goOn = Promise.withResolvers<void>();
    const worker = await h.startWorker({ run: () => goOn.promise });
    const first = await h.startRun();
    await vi.waitFor(() => expect(worker.loop.active()).toHaveLength(1));
    let isDrained = false;
    const drained = worker.loop.drain().then(() => (isDrained = true));
    await worker.channel.drain();
    const second = await h.startRun();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([isDrained, (await h.read(second)).run.status]).toEqual([false, "queued"]);
    goOn.resolve();
    await drained;
    expect((await h.read(first)).run.status).toBe("completed");
    expect((await h.read(second)).run.status).toBe("queued");
    // It stays so after a reconnection.
    worker.disconnect();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await h.read(second)).run.status).toBe("queued");
  });

  test("a shutdown returns runs that do not end in its grace period to the queue, with the same attempt", async () => {
    const h = await open();
    await h.startHost();
    const worker = await h.startWorker({ run: hang });
    const id = await h.startRun();
    await vi.waitFor(() => expect(worker.loop.active()).toHaveLength(1));
    await worker.loop.shutDown(10);
    expect((await h.read(id)).run).toMatchObject({ status: "queued", attempt: 1 });
    expect(worker.ended[0]?.ending.status).toBe("queued");
  });

  test("live output is written, and removed when its run has ended", async () => {
    const h = await open();
    await h.startHost();
    const worker = await h.startWorker({ run: hang });
    const id = await h.startRun();
    await vi.waitFor(() => expect(worker.loop.active()).toHaveLength(1));
    const token = worker.loop.active().length === 1 ? await tokenOf(h, id) : "";
    const live = { runId: id, token, step: "model 1", attempt: 1, startedAt: 1, now: 2, said: { text: "Hi" } };
    expect(await worker.channel.saveLive(live)).toEqual({ held: true });
    expect(await h.store.getLive(id)).toMatchObject({ step: "model 1", said: { text: "Hi" } });
    expect(await worker.channel.saveLive({ ...live, token: "another" })).toEqual({ held: false });
  });

  test("while the store is away, a worker tries again and again, and the log has one line for many tries", async () => {
    let tries = 0;
    let isAway = true;
    const h = await open((store) => ({
      ...store,
      listHeldRuns(workerId) {
        tries += 1;
        if (isAway) return Promise.reject(new AppError("store_unavailable", "The database cannot be reached."));
        return store.listHeldRuns(workerId);
      },
    }));
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    await h.startHost({ logger: createThrottledLogger({ ...silentLogger, warn }) });
    const started = h.startWorker({ run: () => null });
    await vi.waitFor(() => expect(tries).toBeGreaterThan(4));
    isAway = false;
    await started;
    expect(warnings).toEqual(["worker could not be welcomed, it will try again"]);
  });

  test("a write that the store rejects as unavailable is retried, and written once", async () => {
    let rejections = 3;
    const h = await open((store) => ({
      ...store,
      writeProgress: (progress) =>
        rejections-- > 0
          ? Promise.reject(new AppError("store_unavailable", "The disk is full."))
          : store.writeProgress(progress),
    }));
    await h.startHost();
    let executed = 0;
    const worker = await h.startWorker({ run: (_input, ctx) => ctx.step("a", () => (executed += 1)) });
    const id = await h.startRun();
    await vi.waitFor(() => expect(worker.ended[0]?.ending.status).toBe("completed"));
    expect([executed, (await h.read(id)).kinds.filter((kind) => kind.startsWith("step"))]).toEqual([
      1,
      ["step_started a", "step_completed a"],
    ]);
  });

  test("a worker with another secret is rejected", async () => {
    const h = await open();
    await h.startHost();
    await expect(h.startWorker({ run: hang, secret: "guessed" })).rejects.toThrow(
      "The worker has another secret than the server.",
    );
  });

  test("a worker that was accepted is notified when a restarted host rejects it", async () => {
    const h = await open();
    await h.startHost();
    const worker = await h.startWorker({ run: hang });
    await h.startHost({ secret: "another" });
    await vi.waitFor(() => expect(worker.rejected).toEqual(["The worker has another secret than the server."]));
  });

  test("a worker of another protocol version is rejected with the fix", async () => {
    const h = await open();
    const transport = await createTransport();
    onTestFinished(() => transport.close());
    const host = await h.startHost();
    await transport.serve(host);
    const received: unknown[] = [];
    const stream = openMessageStream<object, object>(await transport.connect(), {
      onMessages: (messages) => received.push(...messages),
      onClosed: () => {},
    });
    stream.send({ type: "hello", protocol: protocolVersion + 1, secret: "", worker: { id: "wrk_x" }, runs: [] });
    await stream.closed;
    expect(received).toEqual([
      {
        type: "rejected",
        message: `The worker uses version ${protocolVersion + 1} of the run channel, the server version ${protocolVersion}. Restart the service, so that both come from the same installation.`,
      },
    ]);
  });

  test("a connection whose first message is not hello is closed", async () => {
    const h = await open();
    const transport = await createTransport();
    onTestFinished(() => transport.close());
    await transport.serve(await h.startHost());
    const received: unknown[] = [];
    const stream = openMessageStream<object, object>(await transport.connect(), {
      onMessages: (messages) => received.push(...messages),
      onClosed: () => {},
    });
    stream.send({ type: "capacity", runs: 1_000 });
    await stream.closed;
    expect(received).toEqual([]);
  });
});

async function tokenOf(h: Awaited<ReturnType<typeof createChannelHarness>>, id: string): Promise<string> {
  return (await h.store.listHeldRuns("wrk_a")).find((run) => run.id === id)?.token ?? "";
}
