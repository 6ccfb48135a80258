import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import type { Dispatcher } from "../ports/dispatcher.ts";
import { silentLogger } from "../ports/logger.ts";
import type { ClaimedRun } from "../ports/store/engine-store.ts";
import { createEngineHarness } from "./testing/engine-harness.ts";
import { createWorkerLoop, watchCancels, type WorkerLoop } from "./worker-loop.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

it("stops a run as soon as the store has its cancellation by another process", async () => {
  const { change, canceled } = watched(["b", "another's"]);
  change();
  await vi.advanceTimersByTimeAsync(0);
  expect(canceled).toEqual(["b"]);
});

it("looks four times a second at most, and after the last change", async () => {
  const asked: string[] = [];
  const { change, canceled, listCancelRequested } = watched(asked);
  for (let n = 0; n < 1_000; n += 1) {
    change();
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(listCancelRequested.mock.calls.length).toBeLessThanOrEqual(5);
  asked.push("a");
  change();
  await vi.advanceTimersByTimeAsync(300);
  expect(canceled).toEqual(["a"]);
});

it("asks nothing while nothing runs, nor when it was stopped", async () => {
  const { change, listCancelRequested, running, stop } = watched([]);
  running.length = 0;
  change();
  await vi.advanceTimersByTimeAsync(300);
  running.push("a");
  stop();
  change();
  await vi.advanceTimersByTimeAsync(300);
  expect(listCancelRequested).not.toHaveBeenCalled();
});

let engine: Awaited<ReturnType<typeof createEngineHarness>>;
let loop: WorkerLoop | null = null;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  engine = await createEngineHarness();
});
afterEach(async () => {
  await loop?.leave();
  vi.useRealTimers();
  await engine.close();
});

/** Hands out one run, as a dispatcher does. */
async function startLoop(
  run: (input: never, ctx: Parameters<Parameters<typeof engine.execute>[1]["run"]>[1]) => unknown,
) {
  const executing: Promise<void>[] = [];
  let execute: ((claimed: ClaimedRun) => Promise<void>) | null = null;
  const dispatcher: Dispatcher = {
    start: (given) => {
      execute = given;
    },
    wake() {},
    hold: async () => {},
    release() {},
    drain: async () => void (await Promise.all(executing)),
    active: () => [],
  };
  const retired: string[] = [];
  loop = createWorkerLoop({
    store: engine.store,
    code: engine.code({ run }),
    dispatcher,
    worker: { id: "wrk_test", pid: 1, host: "here", version: "v1", startedAt: 0 },
    clock: engine.clock,
    logger: silentLogger,
    random: () => 0.5,
    onActiveChanged() {},
    onRunEnded() {},
    onRetire: (reason) => retired.push(reason),
  });
  await loop.start();
  const id = await engine.createRun();
  const handOut = (claimed: ClaimedRun) => execute?.(claimed) ?? Promise.reject(new Error("the loop has not started"));
  executing.push(handOut(await engine.claim("wrk_test")));
  await vi.waitFor(() => expect(loop?.active()).toHaveLength(1));
  return { loop, id, retired, ended: () => Promise.all(executing) };
}

const hang = () => new Promise<never>(() => {});

describe("the worker loop", () => {
  test("renews the lease of a long run", async () => {
    const { id, loop: running, ended } = await startLoop(hang);
    for (let n = 0; n < 10; n += 1) {
      engine.advance(5_000);
      await vi.advanceTimersByTimeAsync(5_000);
      await vi.waitFor(async () => expect(await engine.store.reconcile(engine.clock.now())).toBe(0));
    }
    running.cancel(id);
    await ended();
    expect((await engine.read(id)).run.status).toBe("canceled");
  });

  test("stops a canceled run, even without a notification", async () => {
    const { id, ended } = await startLoop(hang);
    await engine.store.requestCancel(id, engine.clock.now());
    await vi.advanceTimersByTimeAsync(5_000);
    await ended();
    expect((await engine.read(id)).run.status).toBe("canceled");
  });

  test("retires if code still runs 30 seconds after its run has ended, but not if it stops on the signal", async () => {
    const deafBegun = vi.fn<() => Promise<never>>(hang);
    const deaf = await startLoop(deafBegun);
    await vi.waitFor(() => expect(deafBegun).toHaveBeenCalled());
    deaf.loop.cancel(deaf.id);
    await deaf.ended();
    await vi.advanceTimersByTimeAsync(29_900);
    expect(deaf.retired).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(deaf.retired).toEqual([
      expect.stringContaining(`the code of run ${deaf.id} is still running although the run has ended`),
    ]);
    await deaf.loop.leave();

    const begun = vi.fn<() => void>();
    const heeding = await startLoop(
      (_, ctx) =>
        new Promise((_resolve, reject) => {
          begun();
          ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error));
        }),
    );
    await vi.waitFor(() => expect(begun).toHaveBeenCalled());
    heeding.loop.cancel(heeding.id);
    await heeding.ended();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heeding.retired).toEqual([]);
  });

  test("never begins the code of a run that was canceled before", async () => {
    const code = vi.fn<() => Promise<never>>(hang);
    const { loop: running, id, retired, ended } = await startLoop(code);
    running.cancel(id);
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

  test("is listed while it works, and not after it has left", async () => {
    const { loop: running, id, ended } = await startLoop(hang);
    expect(await engine.store.listWorkers({ seenSince: 0 })).toMatchObject([{ id: "wrk_test", pid: 1, host: "here" }]);
    running.cancel(id);
    await ended();
    await running.leave();
    expect(await engine.store.listWorkers({ seenSince: 0 })).toEqual([]);
  });
});

function watched(asked: string[]) {
  let change: (() => void) | null = null;
  const canceled: string[] = [];
  const listCancelRequested = vi.fn<(ids: readonly string[]) => Promise<string[]>>(async (ids) =>
    ids.filter((id) => asked.includes(id)),
  );
  const running = ["a", "b"];
  const store = {
    listCancelRequested,
    watch(listener: () => void) {
      change = listener;
      return () => (change = null);
    },
  };
  const stop = watchCancels({ store, runIds: () => running, cancel: (id) => canceled.push(id), onError: () => {} });
  return { change: () => change?.(), canceled, listCancelRequested, running, stop };
}
