import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { silentLogger } from "../ports/logger.ts";
import { createDirectChannel } from "./testing/direct-channel.ts";
import { createEngineHarness } from "./testing/engine-harness.ts";
import { createWorkerLoop, type WorkerLoop } from "./worker-loop.ts";

let engine: Awaited<ReturnType<typeof createEngineHarness>>;
let loop: WorkerLoop | null = null;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  engine = await createEngineHarness();
});
afterEach(async () => {
  loop?.close();
  vi.useRealTimers();
  await engine.close();
});

type Ctx = Parameters<Parameters<typeof engine.execute>[1]["run"]>[1];

/** Is assigned one run. */
async function startLoop(run: (input: never, ctx: Ctx) => unknown, { isCanceled = false } = {}) {
  const retired: string[] = [];
  const ended = Promise.withResolvers<string | null>();
  const direct = createDirectChannel(engine.store);
  const code = engine.code({ run });
  loop = createWorkerLoop({
    channel: direct.channel,
    codeOf: () => code,
    capacity: 1,
    clock: engine.clock,
    logger: silentLogger,
    random: () => 0.5,
    onRunEnded: (_run, { status }) => ended.resolve(status),
    onRetire: (reason) => retired.push(reason),
  });
  await loop.start();
  const id = await engine.createRun();
  const claimed = await engine.claim("wrk_test");
  const executor = await direct.executor;
  executor.assign(claimed);
  expect(loop.active()).toMatchObject([{ runId: id }]);
  expect(loop.countRuns()).toBe(1);
  if (isCanceled) executor.cancel(id);
  return { ...direct, executor, claimed, loop, id, retired, ended: () => ended.promise };
}

const hang = () => new Promise<never>(() => {});

describe("the worker loop", () => {
  test("has a run until its end is written, then its slot is free", async () => {
    const { executor, claimed, ended } = await startLoop(hang);
    expect(executor.runs()).toEqual([{ id: claimed.id, token: claimed.token }]);
    executor.cancel(claimed.id);
    expect(await ended()).toBe("canceled");
    expect(executor.runs()).toEqual([]);
  });

  test("stops a run that it has lost, writes nothing more of it, and reports that it is no longer executed", async () => {
    const { executor, claimed, ended, id, released } = await startLoop(hang);
    const before = await engine.read(id);
    executor.lose({ id, token: "of another claim" });
    expect(executor.runs()).toHaveLength(1);
    executor.lose(claimed);
    expect(await ended()).toBeNull();
    expect(released).toEqual([{ id, token: claimed.token }]);
    expect(await engine.read(id)).toEqual(before);
  });

  test("does not check whether it still has a run while its lease is extended", async () => {
    const goOn = Promise.withResolvers<void>();
    const { executor, ended } = await startLoop(async (_, ctx) => {
      await goOn.promise;
      await ctx.step("a", () => 1);
    });
    const writes = vi.spyOn(engine.store, "writeProgress");
    engine.advance(20_000);
    executor.renew(engine.clock.now() + 1);
    goOn.resolve();
    expect(await ended()).toBe("completed");
    expect(writes).toHaveBeenCalledTimes(2);
  });

  test("retires if code still runs 30 seconds after its run has ended, but not if it stops on the signal", async () => {
    const deafBegun = vi.fn<() => Promise<never>>(hang);
    const deaf = await startLoop(deafBegun);
    await vi.waitFor(() => expect(deafBegun).toHaveBeenCalled());
    deaf.executor.cancel(deaf.id);
    await deaf.ended();
    await vi.advanceTimersByTimeAsync(29_900);
    expect(deaf.retired).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(deaf.retired).toEqual([
      expect.stringContaining(`the code of run ${deaf.id} is still running although the run has ended`),
    ]);
    deaf.loop.close();

    const begun = vi.fn<() => void>();
    const heeding = await startLoop(
      (_, ctx) =>
        new Promise((_resolve, reject) => {
          begun();
          ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error));
        }),
    );
    await vi.waitFor(() => expect(begun).toHaveBeenCalled());
    heeding.executor.cancel(heeding.id);
    await heeding.ended();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heeding.retired).toEqual([]);
  });

  test("never begins the code of a run that was canceled before", async () => {
    const code = vi.fn<() => Promise<never>>(hang);
    const { retired, ended } = await startLoop(code, { isCanceled: true });
    await ended();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(code).not.toHaveBeenCalled();
    expect(retired).toEqual([]);
  });

  test("the code of a sleeping run does not count as running", async () => {
    const { retired, ended } = await startLoop((_, ctx) => ctx.sleep("nap", "1h"));
    await ended();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(retired).toEqual([]);
  });

  test("closes its connection when it is closed", async () => {
    const { loop: running, state } = await startLoop(hang);
    running.close();
    expect(state.isClosed).toBe(true);
  });
});

/** A run whose first step ends when `release` is called, and a second one after it. */
async function startSteps(code: (ctx: Ctx, wait: Promise<unknown>, begun: string[]) => Promise<unknown>) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const started = await startLoop((_input, ctx) => code(ctx, promise, begun));
  await vi.waitUntil(() => begun.includes("first"));
  return { ...started, begun, release };
}

const takesLong = async (ctx: Ctx, wait: Promise<unknown>, begun: string[]) => {
  await ctx.step("first", async () => {
    begun.push("first");
    await wait;
    return 1;
  });
  await ctx.step("second", () => begun.push("second"));
};

describe("a shutdown", () => {
  test("waits for the step in flight, keeps its result, and starts no further step", async () => {
    const { loop: stopping, release, begun, id, ended } = await startSteps(takesLong);
    const shutDown = stopping.shutDown(30_000);
    await vi.advanceTimersByTimeAsync(20_000);
    expect((await engine.read(id)).run.status).toBe("running");
    release();
    expect(await ended()).toBe("queued");
    await shutDown;
    expect(begun).toEqual(["first"]);
    expect((await engine.claim("wrk_b")).steps).toMatchObject([{ name: "first", result: 1 }]);
  });

  test("interrupts a step that takes longer than the drain", async () => {
    const { loop: stopping, begun, id, ended } = await startSteps(takesLong);
    const shutDown = stopping.shutDown(30_000);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await ended()).toBe("queued");
    await shutDown;
    expect(begun).toEqual(["first"]);
    expect((await engine.read(id)).run).toMatchObject({ status: "queued", attempt: 1 });
  });

  test("waits for all steps in flight, though one of them ends earlier", async () => {
    const short = Promise.withResolvers<null>();
    const {
      loop: stopping,
      release,
      begun,
      ended,
    } = await startSteps(async (ctx, wait, order) => {
      const other = ctx.step("short", () => short.promise).then(() => ctx.step("next", () => order.push("next")));
      const first = ctx.step("first", async () => {
        order.push("first");
        await wait;
      });
      await Promise.all([other, first]);
    });
    const shutDown = stopping.shutDown(30_000);
    short.resolve(null);
    await vi.advanceTimersByTimeAsync(20_000);
    release();
    expect(await ended()).toBe("queued");
    await shutDown;
    expect(begun).toEqual(["first"]);
    expect((await engine.claim("wrk_b")).steps.map(({ name }) => name).toSorted()).toEqual(["first", "short"]);
  });

  test("waits for code that is in no step", async () => {
    const {
      loop: stopping,
      release,
      ended,
    } = await startSteps(async (_ctx, wait, order) => {
      order.push("first");
      await wait;
    });
    const shutDown = stopping.shutDown(30_000);
    await vi.advanceTimersByTimeAsync(20_000);
    release();
    expect(await ended()).toBe("completed");
    await shutDown;
  });
});
