import { aConcurrency, limitTo } from "../../store/testing/factories.ts";
import { TransientMap } from "../../domain/transient-map.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { onFailurePolicy } from "../../domain/runs/failure-run.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { ClaimedRun, ClaimRequest, RunProgress, StepRecord } from "../../ports/store/engine-store.ts";
import type { HostMessage, WorkerIdentity } from "../messages.ts";
import { createAssignRuns } from "./assign-runs.ts";
import { createClaimLoop } from "./claim-loop.ts";
import { freeSlots, type HostedWorker, isResponsive } from "./hosted-workers.ts";

/** A queue in memory, whose claims can be delayed or made to fail. */
function createQueue() {
  let made = 0;
  const due: ClaimedRun[] = [];
  const state = {
    claims: [] as ClaimRequest[],
    waiting: [] as number[],
    lost: [] as string[],
    renewals: [] as unknown[],
    fail: null as Error | null,
    stepsFail: false,
    gate: null as Promise<void> | null,
    written: [] as unknown[],
    errors: [] as unknown[],
  };
  const add = (count: number, over: Partial<ClaimedRun> = {}): void => {
    for (let n = 0; n < count; n += 1) due.push({ ...aClaimedRun(`run_${(made += 1)}`), ...over });
  };
  const store = {
    async claimRuns(p: ClaimRequest) {
      state.claims.push(p);
      await state.gate;
      if (state.fail) throw state.fail;
      return due.splice(0, p.slots.length).map((run, n) => ({ ...run, workerId: p.slots[n] ?? "" }));
    },
    async extendLeases(p: { runs: { id: string; token: string }[]; now: number }) {
      state.renewals.push(p);
      return { lost: state.lost, cancelRequested: [] };
    },
    async loadSteps(id: string): Promise<StepRecord[]> {
      if (state.stepsFail) throw new Error("disk I/O error");
      return [{ ...aStep, result: id }];
    },
    getDeliveryHeaders: async (id: string) => (id === "dlv_gone" ? Promise.reject(new Error("no")) : { from: id }),
    listEventResults: async () => [],
    async getRun(id: string) {
      const replayOf = { run_1: "run_replay", run_replay: "run_first", run_alone: null }[id] ?? null;
      const deliveryId = id === "run_first" ? "dlv_first" : null;
      if (id === "run_large") return { id, input: largeText, payload: largeText } as never;
      return { id, replayOf, deliveryId, createdAt: "1970-01-01T00:00:07.000Z" } as never;
    },
    async writeProgress({ runId, transition, entries }: RunProgress) {
      const failureRun = transition?.to === "failed" && transition.failureRun;
      state.written.push([runId, transition?.to, ...(failureRun ? [failureRun.version] : [])]);
      state.errors.push(...(entries ?? []).map(({ error }) => error?.name));
      return { held: true, cancelRequested: false };
    },
    nextAvailableAt: async (_: string, after = 0) => state.waiting.find((at) => at > after) ?? null,
  };
  return { state, store, add };
}

/** More than a message can have. */
const largeText = "x".repeat(300 * 1024 * 1024);

const aStep: StepRecord = {
  name: "a",
  kind: "step",
  attempt: 1,
  startedAt: 1,
  finishedAt: 2,
  until: null,
  result: null,
  sequence: 1,
};

function aClaimedRun(id: string): ClaimedRun {
  return {
    id,
    workerId: "",
    token: id,
    leaseUntil: 15_000,
    status: "running",
    trigger: null,
    attachmentId: null,
    target: { kind: "workflow", slug: "w" },
    deliveryId: null,
    failureOf: null,
    key: null,
    childOf: null,
    depth: 0,
    attempt: 1,
    maxAttempts: 1,
    attemptsBefore: 0,
    isResumed: false,
    createdAt: 0,
    payloadText: '{"a":[1]}',
    inputText: null,
  };
}

/** Runs everything that is due now. */
const settle = () => vi.advanceTimersByTimeAsync(0);

function create(capacities: Record<string, number> = { wrk_1: 2 }, { isAlwaysResponsive = true } = {}) {
  const queue = createQueue();
  const workers = new Map<string, HostedWorker>();
  const held = new Set<string>();
  const sent: { to: string; message: HostMessage }[] = [];
  const common = {
    store: queue.store,
    workers,
    leaseMs: 5000,
    clock: { now: () => Date.now() },
    logger: silentLogger,
    canTakeRuns: (worker: HostedWorker) => !worker.isDraining && !held.has(worker.identity.id) && isResponsive(worker),
  };
  let ended = 0;
  const assignRuns = createAssignRuns({
    ...common,
    onEnded: () => (ended += 1),
    findBuilds:
      async () =>
      ({ version, target: { slug } }) => ({
        version,
        target: { retries: onFailurePolicy, hasOnFailure: slug === "reports", concurrency: null },
      }),
  });
  const loop = createClaimLoop({ ...common, assignRuns });

  function connect(id: string, capacity: number, over: Partial<WorkerIdentity> = {}): HostedWorker {
    const worker: HostedWorker = {
      identity: {
        id,
        pid: 1,
        startedAt: 0,
        pool: "shared",
        version: "v1",
        keptVersions: ["v0"],
        latestTargets: ["workflow:l"],
        limits: [["workflow:w", aConcurrency({ limit: 7 })]],
        needsHeaders: false,
        readsRequest: [],
        ...over,
      },
      stream: {
        send: (message) => sent.push({ to: id, message }),
        sendText: (text) => sent.push({ to: id, message: JSON.parse(text) }),
        end() {},
        destroy() {},
        closed: new Promise(() => {}),
      },
      capacity,
      isDraining: false,
      leaseUntil: Infinity,
      renewing: null,
      respondedAt: isAlwaysResponsive ? Infinity : performance.now(),
      runs: new TransientMap(),
      reserved: 0,
      limitedTargets: new Set(),
      readsRequest: new Set(over.readsRequest),
      limitedRuns: new Set(),
    };
    workers.set(id, worker);
    return worker;
  }

  for (const [id, capacity] of Object.entries(capacities)) connect(id, capacity);
  const assigned = (to?: string) =>
    sent.flatMap(({ to: id, message }) =>
      message.type === "assign" && (to === undefined || to === id) ? [message.run] : [],
    );
  const end = (id: string) => {
    for (const { runs } of workers.values()) runs.delete(id);
    loop.wake();
  };
  return {
    ...queue,
    loop,
    workers,
    held,
    sent,
    countEnded: () => ended,
    connect,
    assigned,
    started: (to?: string) => assigned(to).map(({ id }) => id),
    end,
    async wake() {
      loop.wake();
      await settle();
    },
  };
}

describe("claims", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("of a run whose data is too large for a message fail that run, and assign the others of the batch", async () => {
    const { add, state, started, workers, wake, countEnded } = create({ wrk_1: 4 });
    const large = `"${largeText}"`;
    add(1);
    add(1, { payloadText: large, inputText: large });
    add(1, { payloadText: large });
    add(1);
    await wake();
    expect(started()).toEqual(["run_1", "run_4"]);
    expect(state.written).toEqual([
      ["run_2", "failed"],
      ["run_3", "failed"],
    ]);
    expect(state.errors).toEqual(Array(4).fill("RunTooLarge"));
    expect([...(workers.get("wrk_1")?.runs.keys() ?? [])]).toEqual(["run_1", "run_4"]);
    expect(countEnded()).toBe(2);
  });

  it("of a run that is too large start the onFailure of its target, of the build that executes it", async () => {
    const { add, state, wake } = create({ wrk_1: 4 });
    const target = { kind: "workflow", slug: "reports" } as const;
    const large = { payloadText: `"${largeText}"`, target };
    add(1, { ...large, maxAttempts: 5 });
    add(1, { ...large, build: { acceptedBy: "v0", version: "v0" } });
    add(1, { ...large, failureOf: "run_failed" });
    await wake();
    expect(state.written).toEqual([
      ["run_1", "failed", "v1"],
      ["run_2", "failed", "v0"],
      ["run_3", "failed"],
    ]);
  });

  it("of an onFailure whose failed run is too large assign it without the data of that run", async () => {
    const { add, state, assigned, wake } = create({ wrk_1: 4 });
    add(1, { failureOf: "run_large", payloadText: null });
    await wake();
    expect(assigned()).toMatchObject([{ id: "run_1", failure: { id: "run_large", input: null, payload: null } }]);
    expect(state.written).toEqual([]);
  });

  it("take due runs up to the capacity, and no more", async () => {
    const { add, state, started, workers, wake } = create();
    add(3);
    await wake();
    expect(started()).toEqual(["run_1", "run_2"]);
    expect([...(workers.get("wrk_1")?.runs.keys() ?? [])]).toEqual(["run_1", "run_2"]);
    expect(state.claims).toEqual([
      {
        slots: ["wrk_1", "wrk_1"],
        now: 1_000_000,
        leaseMs: 5000,
        limits: limitTo({ "workflow:w": 7 }),
        pool: "shared",
        version: "v1",
        keptVersions: new Set(["v0"]),
        latestTargets: new Set(["workflow:l"]),
      },
    ]);
  });

  it("fill the workers evenly, those with the fewest runs first", async () => {
    const { add, started, workers, wake } = create({ wrk_1: 4, wrk_2: 4, wrk_3: 4 });
    workers.get("wrk_1")?.runs.set("run_a", "a").set("run_b", "b");
    add(7);
    await wake();
    expect(["wrk_1", "wrk_2", "wrk_3"].map((id) => started(id).length)).toEqual([1, 3, 3]);
  });

  it("are separate for each pool and version, with the limits of that build", async () => {
    const { state, connect, wake } = create({});
    connect("wrk_old", 1);
    connect("wrk_new", 2, { version: "v2", limits: [] });
    connect("wrk_alone", 1, { pool: "isolated" });
    await wake();
    expect(state.claims.map(({ slots, pool, version, limits }) => [slots, pool, version, limits.size])).toEqual([
      [["wrk_old"], "shared", "v1", 1],
      [["wrk_new", "wrk_new"], "shared", "v2", 0],
      [["wrk_alone"], "isolated", "v1", 1],
    ]);
  });

  it("extend the leases of runs that took long to claim before they are assigned, and skip runs that others have by then", async () => {
    const { add, state, assigned, loop } = create();
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    state.lost = ["run_1"];
    add(2);
    loop.wake();
    await settle();
    vi.setSystemTime(1_001_667);
    gate.resolve();
    await settle();
    expect(state.renewals).toEqual([
      {
        runs: [
          { id: "run_1", token: "run_1" },
          { id: "run_2", token: "run_2" },
        ],
        now: 1_001_667,
        leaseMs: 5000,
      },
    ]);
    expect(assigned()).toMatchObject([{ id: "run_2", leaseUntil: 1_006_667 }]);
  });

  it("extend no leases of runs that were claimed fast", async () => {
    const { add, state, wake } = create();
    add(2);
    await wake();
    expect(state.renewals).toEqual([]);
  });

  it("give steps to a run that continues, and none to one that starts", async () => {
    const { add, assigned, wake } = create({ wrk_1: 5 });
    add(1);
    add(1, { isResumed: true });
    add(1, { attempt: 2 });
    await wake();
    expect(assigned().map(({ steps }) => steps.map(({ result }) => result))).toEqual([[], ["run_2"], ["run_3"]]);
  });

  it("assign no run whose steps cannot be read: its lease expires", async () => {
    const { add, state, started, workers, wake } = create({ wrk_1: 5 });
    state.stepsFail = true;
    add(1, { isResumed: true });
    add(1);
    await wake();
    expect(started()).toEqual(["run_2"]);
    expect([...(workers.get("wrk_1")?.runs.keys() ?? [])]).toEqual(["run_2"]);
  });

  it("pass on payload and input as they are stored", async () => {
    const { add, assigned, wake } = create();
    add(1);
    add(1, { payloadText: null, inputText: '"\\ud83d text"' });
    await wake();
    expect(assigned().map(({ payload, input }) => [payload, input])).toEqual([
      [{ a: [1] }, null],
      [null, "\ud83d text"],
    ]);
    expect(assigned()[0]).toMatchObject({ id: "run_1", token: "run_1", workerId: "wrk_1", attempt: 1, steps: [] });
  });

  it("give the headers of their delivery to runs of workers that trace, if they can be read", async () => {
    const { add, assigned, connect, wake } = create({});
    connect("wrk_1", 3, { needsHeaders: true });
    add(1, { deliveryId: "dlv_1" });
    add(1, { deliveryId: "dlv_gone" });
    add(1);
    await wake();
    expect(assigned().map(({ headers }) => headers)).toEqual([{ from: "dlv_1" }, null, null]);
  });

  it("give the request to runs whose transform uses it, also to replays, and only while the input is not built", async () => {
    const { add, assigned, connect, wake } = create({});
    connect("wrk_1", 9, { readsRequest: ["a:w"] });
    add(1, { attachmentId: "a:w", createdAt: 3 });
    add(1, { attachmentId: "a:w", deliveryId: "dlv_1", createdAt: 3 });
    add(1, { attachmentId: "a:w", deliveryId: "dlv_1", inputText: "{}" });
    add(1, { attachmentId: "other:w", deliveryId: "dlv_1" });
    await wake();
    expect(assigned().map(({ request }) => request)).toEqual([
      { deliveryId: "dlv_first", receivedAt: 7000, headers: { from: "dlv_first" } },
      { deliveryId: "dlv_1", receivedAt: 3, headers: { from: "dlv_1" } },
      null,
      null,
    ]);
  });

  it("leave a run whose request cannot be read to another worker", async () => {
    const { add, assigned, connect, wake } = create({});
    connect("wrk_1", 9, { readsRequest: ["a:w"] });
    add(1, { attachmentId: "a:w", deliveryId: "dlv_gone" });
    await wake();
    expect(assigned()).toEqual([]);
  });

  it("assign nothing to a worker that disconnected or connected again meanwhile", async () => {
    for (const isBack of [false, true]) {
      const { add, state, started, connect, workers, loop } = create();
      const gate = Promise.withResolvers<void>();
      state.gate = gate.promise;
      add(1);
      loop.wake();
      await settle();
      workers.delete("wrk_1");
      if (isBack) connect("wrk_1", 2);
      gate.resolve();
      await settle();
      expect(started()).toEqual([]);
    }
  });

  it("notify a worker that lost its lease when its run is assigned to another", async () => {
    const { add, sent, workers, wake } = create({ wrk_1: 1, wrk_2: 1 });
    workers.get("wrk_1")?.runs.set("run_1", "old");
    add(1);
    await wake();
    expect(sent).toMatchObject([
      { to: "wrk_1", message: { type: "lost", run: { id: "run_1", token: "old" } } },
      { to: "wrk_2", message: { type: "assign", run: { id: "run_1" } } },
    ]);
    expect(workers.get("wrk_1")?.runs.size).toBe(0);
  });

  it("take the next run when one ends", async () => {
    const { add, started, end, wake } = create({ wrk_1: 1 });
    add(3);
    await wake();
    end("run_1");
    await settle();
    end("run_2");
    await settle();
    expect(started()).toEqual(["run_1", "run_2", "run_3"]);
  });

  it("are one for all slots that are freed together", async () => {
    const { add, state, end, wake } = create({ wrk_1: 3 });
    add(6);
    await wake();
    for (const id of ["run_1", "run_2", "run_3"]) end(id);
    await settle();
    expect(state.claims.map(({ slots }) => slots.length)).toEqual([3, 3]);
  });

  it("are not made while there is no worker, or no free slot", async () => {
    const { add, state, connect, wake } = create({});
    add(1);
    await wake();
    connect("wrk_1", 0);
    await wake();
    expect(state.claims).toEqual([]);
  });

  it("are one for many wakes, and another one for wakes while it is in progress", async () => {
    const { state, started, add, loop, wake } = create({ wrk_1: 5 });
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    for (let n = 0; n < 10; n += 1) loop.wake();
    await settle();
    expect(state.claims).toHaveLength(1);
    for (let n = 0; n < 10; n += 1) loop.wake();
    gate.resolve();
    await settle();
    expect(state.claims).toHaveLength(2);
    add(1);
    await wake();
    expect(started()).toEqual(["run_1"]);
  });

  it("are not made for a slot that is freed while nothing can be due", async () => {
    const { state, add, started, loop, workers, wake } = create({ wrk_1: 2 });
    add(3);
    await wake();
    expect([started().length, loop.hasBacklog()]).toEqual([2, true]);
    workers.get("wrk_1")?.runs.delete("run_1");
    loop.slotFreed();
    await settle();
    workers.get("wrk_1")?.runs.delete("run_2");
    loop.slotFreed();
    await settle();
    expect([started().length, state.claims.length, loop.hasBacklog()]).toEqual([3, 3, false]);
    workers.get("wrk_1")?.runs.delete("run_3");
    loop.slotFreed();
    await settle();
    expect(state.claims).toHaveLength(3);
  });

  it("are for as many runs as this host has queued, and those that find no slot are claimed first later", async () => {
    const { state, add, started, loop, workers, wake } = create({ wrk_1: 3 });
    await wake();
    add(2);
    loop.queued(2);
    expect(loop.hasBacklog()).toBe(true);
    await settle();
    expect([state.claims.at(-1)?.slots.length, loop.hasBacklog()]).toEqual([2, false]);
    add(3);
    loop.queued(3);
    await settle();
    expect([started().length, loop.hasBacklog()]).toEqual([3, true]);
    const runs = workers.get("wrk_1")?.runs;
    for (const id of Array.from(runs?.keys() ?? [])) runs?.delete(id);
    loop.slotFreed();
    await settle();
    expect([state.claims.at(-1)?.slots.length, started().length, loop.hasBacklog()]).toEqual([2, 5, false]);
  });

  it("are in vain less and less often for runs of a limited target, which other runs need not wait for", async () => {
    const { state, add, started, loop, wake } = create({ wrk_1: 3 });
    await wake();
    for (let n = 0; n < 5; n += 1) {
      loop.queued(1, ["workflow:full"]);
      await settle();
    }
    expect([state.claims.length, loop.hasBacklog()]).toEqual([2, false]);
    for (const [ms, claims] of [
      [20, 3],
      [39, 3],
      [1, 4],
      [79, 4],
      [1, 5],
    ] as const) {
      await vi.advanceTimersByTimeAsync(ms);
      expect(state.claims).toHaveLength(claims);
      loop.queued(1, ["workflow:full"]);
      await settle();
      expect(state.claims).toHaveLength(claims);
    }
    loop.queued(1, ["workflow:full"]);
    add(1);
    loop.queued(1, []);
    await settle();
    expect([started(), loop.hasBacklog()]).toEqual([["run_1"], false]);
  });

  it("are made at once for runs of a limited target while another one has no room", async () => {
    const { state, add, started, loop, wake } = create({ wrk_1: 3 });
    await wake();
    loop.queued(1, ["workflow:full"]);
    await settle();
    add(1);
    loop.queued(1, ["workflow:other"]);
    await settle();
    expect([started(), state.claims.length]).toEqual([["run_1"], 3]);
  });

  it("are made at once for runs of limited targets when a run has ended", async () => {
    const { state, add, started, loop, wake, workers } = create({ wrk_1: 3 });
    await wake();
    loop.queued(1, ["workflow:full"]);
    await settle();
    add(2);
    loop.queued(1, ["workflow:full"]);
    await settle();
    expect(started()).toEqual([]);
    await wake();
    expect([started(), state.claims.length, workers.get("wrk_1")?.reserved]).toEqual([["run_1", "run_2"], 3, 0]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state.claims).toHaveLength(3);
  });

  it("are made for a slot that is freed in a full pool, also if another pool had slots and nothing due", async () => {
    for (const how of ["wake", "queued"] as const) {
      const { state, loop, connect, workers, end, started, add } = create({});
      const take = () => state.claims.at(-1)?.pool === "shared";
      const shared = connect("wrk_1", 1);
      shared.runs.set("run_old", "old");
      connect("wrk_alone", 1, { pool: "isolated" });
      loop[how](1);
      await settle();
      expect([state.claims.map(({ pool }) => pool), loop.hasBacklog()]).toEqual([["isolated"], true]);
      workers.delete("wrk_alone");
      add(1);
      shared.runs.delete("run_old");
      loop.slotFreed();
      await settle();
      expect([started("wrk_1"), take()]).toEqual([["run_1"], true]);
      end("run_1");
    }
  });

  it("leave the slots that they do not fill to runs that are accepted meanwhile", async () => {
    const { state, loop, workers, add, wake } = create({ wrk_1: 3 });
    await wake();
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    add(1);
    loop.queued(1);
    await settle();
    const worker = workers.get("wrk_1");
    expect([worker && freeSlots(worker), loop.hasBacklog()]).toEqual([2, false]);
    gate.resolve();
    await settle();
    expect([worker && freeSlots(worker), worker?.reserved]).toEqual([2, 0]);
  });

  it("are not made while nothing happens", async () => {
    const { state, wake } = create();
    await wake();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(state.claims).toHaveLength(1);
  });

  it("are made when the next waiting run is due, and not before, however late that is", async () => {
    const { state, wake } = create();
    const inMs = 2 ** 31 + 500;
    state.waiting = [Date.now() + inMs];
    await wake();
    await vi.advanceTimersByTimeAsync(inMs - 1);
    expect(state.claims).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.claims).toHaveLength(2);
  });

  it("are made then even if another run is due whose target is at its concurrency limit", async () => {
    const { state, wake } = create();
    state.waiting = [Date.now() - 5, Date.now() + 1000];
    await wake();
    await vi.advanceTimersByTimeAsync(999);
    expect(state.claims).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.claims).toHaveLength(2);
  });

  it("are made for a run that becomes due while a claim is in progress", async () => {
    const { state, wake } = create();
    const held = Promise.withResolvers<void>();
    state.gate = held.promise;
    state.waiting = [Date.now() + 10];
    await wake();
    await vi.advanceTimersByTimeAsync(20);
    state.gate = null;
    held.resolve();
    await settle();
    expect(state.claims).toHaveLength(2);
  });

  it("are made for a waiting run also if the claim of a queued run comes between, when it is due already", async () => {
    const { add, state, loop, started, wake } = create({ wrk_1: 3 });
    state.waiting = [Date.now() + 1000];
    await wake();
    vi.setSystemTime(Date.now() + 1001);
    add(2);
    loop.queued(1);
    await settle();
    expect(started()).toEqual(["run_1"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(started()).toEqual(["run_1", "run_2"]);
  });

  it("notice within half a minute that the clock was set forward", async () => {
    const { state, wake } = create();
    state.waiting = [Date.now() + 3_600_000];
    await wake();
    vi.setSystemTime(Date.now() + 3_600_000);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(state.claims).toHaveLength(2);
  });

  it("are not made early when the clock was set back", async () => {
    const { state, wake } = create();
    state.waiting = [Date.now() + 10_000];
    await wake();
    vi.setSystemTime(Date.now() - 60_000);
    await vi.advanceTimersByTimeAsync(69_999);
    expect(state.claims).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.claims).toHaveLength(2);
  });

  it("are retried after growing pauses while the store fails", async () => {
    const { state, add, started, loop, wake } = create();
    state.fail = new Error("busy");
    add(1);
    await wake();
    expect(loop.hasBacklog()).toBe(true);
    await vi.advanceTimersByTimeAsync(100 + 200 + 400);
    expect(state.claims).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(799);
    expect(state.claims).toHaveLength(4);
    state.fail = null;
    await vi.advanceTimersByTimeAsync(1);
    expect(started()).toEqual(["run_1"]);
  });

  it("skip held and draining workers; when the held ones are released, they take the runs that were queued meanwhile", async () => {
    const { add, started, held, workers, wake } = create({ wrk_1: 2, wrk_2: 2 });
    held.add("wrk_1");
    const draining = workers.get("wrk_2");
    if (draining) draining.isDraining = true;
    add(1);
    await wake();
    expect(started()).toEqual([]);
    held.clear();
    await wake();
    expect(started("wrk_1")).toEqual(["run_1"]);
  });

  it("skip a worker whose event loop is blocked or paused, until it responds", async () => {
    const { add, started, workers, wake } = create({ wrk_1: 2, wrk_2: 2 }, { isAlwaysResponsive: false });
    await vi.advanceTimersByTimeAsync(1_600);
    const [first, second] = [workers.get("wrk_1"), workers.get("wrk_2")];
    if (second) second.respondedAt = performance.now();
    add(3);
    await wake();
    expect([started("wrk_1"), started("wrk_2")]).toEqual([[], ["run_1", "run_2"]]);
    if (first) first.respondedAt = performance.now();
    await wake();
    expect(started("wrk_1")).toEqual(["run_3"]);
  });

  it("are settled when the runs of the claim in progress are assigned, also if more is due", async () => {
    const { state, add, started, loop } = create({ wrk_1: 5 });
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    add(1);
    loop.wake();
    await settle();
    let isSettled = false;
    const settled = loop.settled().then(() => (isSettled = true));
    await settle();
    expect(isSettled).toBe(false);
    loop.wake();
    gate.resolve();
    await settled;
    expect(started()).toEqual(["run_1"]);
  });

  it("stop when they are closed, and leave no timer behind", async () => {
    const { state, add, loop, wake } = create();
    state.waiting = [Date.now() + 1_000];
    await wake();
    loop.close();
    add(1);
    await wake();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(state.claims).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
