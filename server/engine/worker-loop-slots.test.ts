import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLogger } from "../ports/logger.ts";
import type { RunExecutor } from "../ports/run-channel.ts";
import { createRunSlots, createWorkerLoop, type WorkerLoop } from "./worker-loop.ts";
import { createDirectChannel } from "./testing/direct-channel.ts";
import { createEngineHarness } from "./testing/engine-harness.ts";

function create(slots: number) {
  let now = 0;
  return { ...createRunSlots({ slots, maxAhead: 6, now: () => now }), pass: (ms: number) => (now += ms) };
}

describe("slots for runs", () => {
  it("are taken in the order of the requests, never more at a time than there are", () => {
    const { enter } = create(2);
    const [a, b, c, d] = [enter(), enter(), enter(), enter()];
    const begun = () => [a, b, c, d].map((slot) => slot.hasBegun());
    expect(begun()).toEqual([true, true, false, false]);
    b.release();
    b.release();
    expect(begun()).toEqual([true, true, true, false]);
    a.release();
    expect(begun()).toEqual([true, true, true, true]);
  });

  it("skip runs that were released while they waited", async () => {
    const { enter } = create(1);
    const [a, b, c] = [enter(), enter(), enter()];
    b.release();
    a.release();
    await c.free;
    expect([b.hasBegun(), c.hasBegun()]).toEqual([false, true]);
  });

  it("let runs be claimed ahead only after as many quick runs as there are slots, until one takes long or has to wait", () => {
    const { enter, ahead, stopAhead, pass } = create(2);
    const run = (ms: number) => {
      const slot = enter();
      pass(ms);
      slot.release();
      return ahead();
    };
    expect([run(1), run(1), run(1)]).toEqual([0, 6, 6]);
    expect([run(21), run(20), run(20)]).toEqual([0, 0, 6]);
    stopAhead();
    expect(ahead()).toBe(0);
  });
});

describe("a claimed run that waits for a slot", () => {
  let engine: Awaited<ReturnType<typeof createEngineHarness>>;
  let loop: WorkerLoop;
  let begun: string[];
  let executor: RunExecutor;
  let ended: string[];
  let first: string;
  let second: string;
  let release: () => void;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    engine = await createEngineHarness();
    begun = [];
    ended = [];
    const gate = Promise.withResolvers<void>();
    release = gate.resolve;
    const direct = createDirectChannel(engine.store);
    const code = engine.code({
      run: async (_, ctx) => {
        begun.push(ctx.run.id);
        await gate.promise;
        return { attempt: ctx.run.attempt };
      },
    });
    const slots = createRunSlots({ slots: 1, maxAhead: 5, now: () => performance.now() });
    loop = createWorkerLoop({
      channel: direct.channel,
      codeOf: () => code,
      capacity: 1,
      slots,
      clock: engine.clock,
      logger: silentLogger,
      random: () => 0.5,
      onRunEnded: (run) => ended.push(run.id),
      onRetire() {},
    });
    await loop.start();
    executor = await direct.executor;
    first = await engine.createRun();
    executor.assign(await engine.claim("wrk_test"));
    second = await engine.createRun();
    executor.assign(await engine.claim("wrk_test"));
    await vi.waitUntil(() => begun.includes(first));
  });
  afterEach(async () => {
    release();
    await vi.waitUntil(() => ended.length === 2);
    loop.close();
    vi.useRealTimers();
    await engine.close();
  });

  it("begins when the previous one has ended, and both complete", async () => {
    release();
    await vi.waitUntil(() => ended.length === 2);
    expect(begun).toEqual([first, second]);
    expect([(await engine.read(first)).run.status, (await engine.read(second)).run.status]).toEqual([
      "completed",
      "completed",
    ]);
  });

  it("is canceled before its code begins", async () => {
    executor.cancel(second);
    await vi.waitUntil(() => ended.includes(second));
    expect((await engine.read(second)).run.status).toBe("canceled");
    release();
    await vi.waitUntil(() => ended.length === 2);
    expect(begun).toEqual([first]);
  });

  it("returns to the queue when the worker shuts down, without using an attempt", async () => {
    const shutDown = loop.shutDown(0);
    await vi.advanceTimersByTimeAsync(0);
    await vi.waitUntil(() => ended.includes(second));
    release();
    await shutDown;
    expect((await engine.read(second)).run).toMatchObject({ status: "queued", attempt: 1 });
    expect(begun).toEqual([first]);
    const again = [await engine.claim("wrk_b"), await engine.claim("wrk_b")];
    expect(again.find(({ id }) => id === second)).toMatchObject({ attempt: 1, isResumed: true });
  });

  it("returns to the queue after a second, without using an attempt", async () => {
    engine.advance(1_001);
    await vi.advanceTimersByTimeAsync(250);
    await vi.waitUntil(() => ended.includes(second));
    expect((await engine.read(second)).run).toMatchObject({ status: "queued", attempt: 1 });
    expect(await engine.claim("wrk_b")).toMatchObject({ id: second, attempt: 1, isResumed: true });
    expect(begun).toEqual([first]);
  });

  it("is assigned to its worker, and is taken over when the worker is lost", async () => {
    expect(executor.runs().map(({ id }) => id)).toEqual([first, second]);
    const lost = executor.runs()[1];
    expect((await engine.store.listHeldRuns("wrk_test")).map(({ id }) => id).sort()).toEqual([first, second].sort());
    await engine.store.releaseLostRuns({
      workerId: "wrk_test",
      now: engine.clock.now(),
      message: "killed",
      runs: [{ id: second, fate: { kind: "resume" } }],
    });
    expect(await engine.claim("wrk_b")).toMatchObject({ id: second, attempt: 1, isResumed: true });
    if (lost) executor.lose(lost);
    await vi.waitUntil(() => ended.includes(second));
    expect(begun).toEqual([first]);
  });

  it("has its whole timeout from the moment it begins", async () => {
    engine.advance(900);
    const deadlines = new Map(loop.active().map(({ runId, deadlineAt }) => [runId, deadlineAt - engine.clock.now()]));
    expect(deadlines.get(first)).toBe(59_100);
    expect(deadlines.get(second)).toBe(60_000);
  });
});
