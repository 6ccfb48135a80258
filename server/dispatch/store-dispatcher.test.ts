import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLogger } from "../ports/logger.ts";
import type { ClaimedRun, ClaimRequest } from "../ports/store/engine-store.ts";
import { createStoreDispatcher } from "./store-dispatcher.ts";

/** A queue in memory, whose claims can be held up or made to fail. */
function createQueue() {
  let listener: (() => void) | null = null;
  let made = 0;
  const due: ClaimedRun[] = [];
  const state = {
    claims: [] as ClaimRequest[],
    waiting: [] as number[],
    lost: [] as string[],
    renewals: [] as unknown[],
    fail: null as Error | null,
    gate: null as Promise<void> | null,
    isWatched: false,
  };
  const add = (count: number): void => {
    for (let n = 0; n < count; n += 1) due.push(aClaimedRun(`run_${(made += 1)}`));
    listener?.();
  };
  const store = {
    async claimRuns(p: ClaimRequest) {
      state.claims.push(p);
      await state.gate;
      if (state.fail) throw state.fail;
      return due.splice(0, p.limit);
    },
    async extendLeases(p: { runs: { id: string; token: string }[]; now: number }) {
      state.renewals.push(p);
      return { lost: state.lost, cancelRequested: [] };
    },
    nextAvailableAt: async (_: string, after = 0) => state.waiting.find((at) => at > after) ?? null,
    watch(given: () => void) {
      listener = given;
      state.isWatched = true;
      return () => {
        state.isWatched = false;
        listener = null;
      };
    },
  };
  return { state, store, add };
}

function aClaimedRun(id: string): ClaimedRun {
  return {
    id,
    token: id,
    leaseUntil: 15_000,
    status: "running",
    trigger: null,
    attachmentId: null,
    target: { kind: "workflow", slug: "w" },
    deliveryId: null,
    attempt: 1,
    maxAttempts: 1,
    isResumed: false,
    payload: null,
    input: null,
    createdAt: 0,
  };
}

/** Executes nothing: each run ends when told. */
function createExecution() {
  const started: string[] = [];
  const ends = new Map<string, { resolve(): void; reject(error: Error): void }>();
  return {
    started,
    execute: (run: ClaimedRun) =>
      new Promise<void>((resolve, reject) => {
        started.push(run.id);
        ends.set(run.id, { resolve, reject });
      }),
    end: (id: string) => ends.get(id)?.resolve(),
    fail: (id: string) => ends.get(id)?.reject(new Error("no")),
  };
}

/** Lets everything happen that needs no time. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe("the dispatcher", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const clock = { now: () => Date.now() };
  function create(capacity: number) {
    const queue = createQueue();
    const execution = createExecution();
    const dispatcher = createStoreDispatcher({
      store: queue.store,
      workerId: "wrk_1",
      capacity: () => capacity,
      pool: "shared",
      version: "v1",
      leaseMs: 5000,
      concurrency: () => new Map([["workflow:w", 7]]),
      clock,
      logger: silentLogger,
    });
    return { ...queue, ...execution, dispatcher };
  }

  it("takes what is there when it starts, up to its capacity, and no more", async () => {
    const { add, state, started, dispatcher, execute } = create(2);
    add(3);
    dispatcher.start(execute);
    await settle();
    expect(started).toEqual(["run_1", "run_2"]);
    expect(dispatcher.active().map((run) => run.id)).toEqual(["run_1", "run_2"]);
    expect(state.claims).toEqual([
      {
        workerId: "wrk_1",
        limit: 2,
        now: 1_000_000,
        leaseMs: 5000,
        concurrency: new Map([["workflow:w", 7]]),
        pool: "shared",
        version: "v1",
      },
    ]);
  });

  it("renews what took long to claim before it begins, and leaves alone what others have by then", async () => {
    const { add, state, started, dispatcher, execute } = create(2);
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    state.lost = ["run_1"];
    add(2);
    dispatcher.start(execute);
    await settle();
    vi.setSystemTime(1_001_667);
    gate.resolve();
    await settle();
    expect(state.renewals).toEqual([
      {
        workerId: "wrk_1",
        runs: [
          { id: "run_1", token: "run_1" },
          { id: "run_2", token: "run_2" },
        ],
        now: 1_001_667,
        leaseMs: 5000,
      },
    ]);
    expect(started).toEqual(["run_2"]);
    expect(dispatcher.active()).toMatchObject([{ id: "run_2", leaseUntil: 1_006_667 }]);
  });

  it("renews nothing that was claimed at once", async () => {
    const { add, state, dispatcher, execute } = create(2);
    add(2);
    dispatcher.start(execute);
    await settle();
    expect(state.renewals).toEqual([]);
  });

  it("takes the next when one of its runs ends, however it ends", async () => {
    const { add, started, dispatcher, execute, end, fail } = create(1);
    add(3);
    dispatcher.start(execute);
    await settle();
    end("run_1");
    await settle();
    fail("run_2");
    await settle();
    expect(started).toEqual(["run_1", "run_2", "run_3"]);
  });

  it("makes one claim for all the places that runs free which end together", async () => {
    const { add, state, dispatcher, execute, end } = create(3);
    add(6);
    dispatcher.start(execute);
    await settle();
    for (const id of ["run_1", "run_2", "run_3"]) end(id);
    await settle();
    expect(state.claims.map(({ limit }) => limit)).toEqual([3, 3]);
  });

  it("takes nothing before it is started", async () => {
    const { add, state, dispatcher } = create(1);
    add(1);
    dispatcher.wake();
    await settle();
    expect(state.claims).toEqual([]);
  });

  it("claims at once when something was written", async () => {
    const { add, started, dispatcher, execute } = create(5);
    dispatcher.start(execute);
    await settle();
    add(1);
    await settle();
    expect(started).toEqual(["run_1"]);
  });

  it("makes one claim of many wakes, and another for those that come while it is under way", async () => {
    const { state, started, add, dispatcher, execute } = create(5);
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    dispatcher.start(execute);
    for (let n = 0; n < 10; n += 1) dispatcher.wake();
    await settle();
    expect(state.claims).toHaveLength(1);
    for (let n = 0; n < 10; n += 1) dispatcher.wake();
    gate.resolve();
    await settle();
    expect(state.claims).toHaveLength(2);
    add(1);
    await settle();
    expect(started).toEqual(["run_1"]);
  });

  it("asks the store for nothing while nothing happens", async () => {
    const { state, dispatcher, execute } = create(5);
    dispatcher.start(execute);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(state.claims).toHaveLength(1);
  });

  it("claims when the next waiting run is due, and not before, however far away that is", async () => {
    const { state, dispatcher, execute } = create(5);
    const inMs = 2 ** 31 + 500;
    state.waiting = [Date.now() + inMs];
    dispatcher.start(execute);
    await vi.advanceTimersByTimeAsync(inMs - 1);
    expect(state.claims).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.claims).toHaveLength(2);
  });

  it("is not kept from that by one that is due and whose target has its number running", async () => {
    const { state, dispatcher, execute } = create(5);
    state.waiting = [Date.now() - 5, Date.now() + 1000];
    dispatcher.start(execute);
    await vi.advanceTimersByTimeAsync(999);
    expect(state.claims).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.claims).toHaveLength(2);
  });

  it("notices within half a minute that the clock was set forward", async () => {
    const { state, dispatcher, execute } = create(5);
    state.waiting = [Date.now() + 3_600_000];
    dispatcher.start(execute);
    await settle();
    vi.setSystemTime(Date.now() + 3_600_000);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(state.claims).toHaveLength(2);
  });

  it("does not claim early when the clock was set back", async () => {
    const { state, dispatcher, execute } = create(5);
    state.waiting = [Date.now() + 10_000];
    dispatcher.start(execute);
    await settle();
    vi.setSystemTime(Date.now() - 60_000);
    await vi.advanceTimersByTimeAsync(69_999);
    expect(state.claims).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.claims).toHaveLength(2);
  });

  it("tries again, later and later, while the store fails", async () => {
    const { state, add, started, dispatcher, execute } = create(5);
    state.fail = new Error("busy");
    add(1);
    dispatcher.start(execute);
    await settle();
    await vi.advanceTimersByTimeAsync(100 + 200 + 400);
    expect(state.claims).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(799);
    expect(state.claims).toHaveLength(4);
    state.fail = null;
    await vi.advanceTimersByTimeAsync(1);
    expect(started).toEqual(["run_1"]);
  });

  it("holds: takes nothing new until it is released, and then what came meanwhile", async () => {
    const { add, started, dispatcher, execute } = create(2);
    add(1);
    dispatcher.start(execute);
    await settle();
    await dispatcher.hold();
    add(1);
    dispatcher.wake();
    await settle();
    expect(started).toEqual(["run_1"]);
    dispatcher.release();
    await settle();
    expect(started).toEqual(["run_1", "run_2"]);
  });

  it("drains: takes nothing new, and is done when what it handed out has ended", async () => {
    const { state, add, started, dispatcher, execute, end } = create(2);
    add(1);
    dispatcher.start(execute);
    await settle();
    let isDrained = false;
    const drained = dispatcher.drain().finally(() => {
      isDrained = true;
    });
    add(1);
    dispatcher.wake();
    await settle();
    expect(started).toEqual(["run_1"]);
    expect(isDrained).toBe(false);
    expect(state.isWatched).toBe(false);
    end("run_1");
    await drained;
    expect(started).toEqual(["run_1"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits, draining, for the runs of a claim that was under way", async () => {
    const { state, add, started, dispatcher, execute, end } = create(2);
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    add(1);
    dispatcher.start(execute);
    await settle();
    const drained = dispatcher.drain();
    gate.resolve();
    await settle();
    expect(started).toEqual(["run_1"]);
    end("run_1");
    await drained;
    expect(dispatcher.active()).toEqual([]);
  });
});
