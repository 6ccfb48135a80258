import { DatabaseError } from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AppError } from "../../../contract/app-error.ts";
import { createCommitTally } from "../../../domain/tallies.ts";
import type { WriteTerms } from "../../../ports/store/delivery-store.ts";
import { TransactionTimeout } from "../store-error.ts";
import { createWriteLane, type JobGroup } from "./write-lane.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** A lane, and the sizes of the batches that it has written. */
function createLane(p: { gathers: boolean }) {
  const lane = createWriteLane(createCommitTally(), p);
  const batches: number[] = [];
  const group: JobGroup<number, number> = {
    maxBatch: 100,
    async write(jobs) {
      batches.push(jobs.length);
      return jobs;
    },
  };
  const add = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => lane.add(group, n)));
  return { lane, batches, add };
}

const turns = async (count = 5) => {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

it("a few writes do not wait for more", async () => {
  const { batches, add } = createLane({ gathers: true });
  await add(7);
  await add(1);
  expect(batches).toEqual([7, 1]);
});

it("after a batch that shows load, the next one waits for two milliseconds", async () => {
  const { batches, add } = createLane({ gathers: true });
  await add(8);
  const next = add(3);
  await turns();
  const later = add(4);
  await turns();
  expect(batches).toEqual([8]);
  await vi.advanceTimersByTimeAsync(2);
  await Promise.all([next, later]);
  expect(batches).toEqual([8, 7]);
  // That was no load any more.
  await add(1);
  expect(batches).toEqual([8, 7, 1]);
});

it("a batch of twenty does not wait, nor does one that grows to twenty", async () => {
  const { batches, add } = createLane({ gathers: true });
  await add(20);
  await add(25);
  const first = add(19);
  await turns();
  expect(batches).toEqual([20, 25]);
  await Promise.all([first, add(1)]);
  expect(batches).toEqual([20, 25, 20]);
});

it("a lane that closes does not wait", async () => {
  const { lane, batches, add } = createLane({ gathers: true });
  await add(8);
  const last = add(1);
  await turns();
  await Promise.all([lane.close(), last]);
  expect(batches).toEqual([8, 1]);
});

it("a lane that does not gather never waits", async () => {
  const { batches, add } = createLane({ gathers: false });
  await add(8);
  await add(1);
  expect(batches).toEqual([8, 1]);
});

function failureOf(code: string): DatabaseError {
  return Object.assign(new DatabaseError("failed", 0, "error"), { code });
}

/** A lane whose transactions with job 2 fail with this error, and the batches that it has tried. */
function createFailingLane(cause: Error) {
  const lane = createWriteLane(createCommitTally());
  const tried: number[][] = [];
  const group: JobGroup<number, number> = {
    maxBatch: 100,
    async write(jobs) {
      tried.push([...jobs]);
      if (jobs.includes(2)) throw cause;
      return jobs;
    },
  };
  const addAll = (jobs: readonly number[]) =>
    Promise.all(
      jobs.map((job) =>
        lane.add(group, job).then(
          () => "fulfilled",
          () => "rejected",
        ),
      ),
    );
  return { addAll, tried };
}

describe("a transaction that fails", () => {
  it.each([
    ["a lock timeout", failureOf("55P03")],
    ["a statement timeout", failureOf("57014")],
    ["a shutdown", failureOf("57P01")],
    ["a start", failureOf("57P03")],
    ["a full disk", failureOf("53100")],
    ["too little memory", failureOf("53200")],
    ["too many connections", failureOf("53300")],
    ["a lost connection", failureOf("08006")],
    ["an idle timeout", failureOf("25P03")],
    ["a read-only server", failureOf("25006")],
    ["a disk error", failureOf("58030")],
    ["an internal error", failureOf("XX000")],
    ["a missing table", failureOf("42P01")],
    ["a missing right", failureOf("42501")],
    ["a connection that the network cut", new Error("Connection terminated unexpectedly")],
    ["an unanswered statement", new Error("Query read timeout")],
    ["an unreachable server", Object.assign(new Error("connect"), { code: "ECONNREFUSED" })],
    ["no result in time", new TransactionTimeout()],
  ])("for %s fails for all its writes, and none of them is tried alone", async (_, error) => {
    const { addAll, tried } = createFailingLane(error);
    expect(await addAll([1, 2, 3])).toEqual(["rejected", "rejected", "rejected"]);
    expect(tried).toEqual([[1, 2, 3]]);
    // The next ones are tried.
    expect(await addAll([4])).toEqual(["fulfilled"]);
  });

  it.each([
    ["a serialization failure", failureOf("40001")],
    ["a deadlock", failureOf("40P01")],
  ])("for %s is repeated with all its writes, and fails for all of them in the end", async (_, error) => {
    const { addAll, tried } = createFailingLane(error);
    expect(await addAll([1, 2, 3])).toEqual(["rejected", "rejected", "rejected"]);
    expect(tried).toEqual(Array.from({ length: 4 }, () => [1, 2, 3]));
  });

  it.each([
    ["a duplicate", failureOf("23505")],
    ["a violated check", failureOf("23514")],
    ["an invalid value", failureOf("22P05")],
    ["a row that is too large for an index", failureOf("54000")],
    ["a trigger of the database's owner", failureOf("P0001")],
    ["a rule of the store", new AppError("not_found", "No such row.")],
    ["a defect", new TypeError("undefined is not a function")],
  ])("for %s fails for that row alone", async (_, error) => {
    const { addAll, tried } = createFailingLane(error);
    expect(await addAll([1, 2, 3])).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(tried).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it("while its rows are tried one by one ends the others when the database fails", async () => {
    const lane = createWriteLane(createCommitTally());
    const tried: number[][] = [];
    const group: JobGroup<number, number> = {
      maxBatch: 100,
      async write(jobs) {
        tried.push([...jobs]);
        if (jobs.length > 1) throw failureOf("23505");
        if (jobs[0] === 2) throw failureOf("55P03");
        return jobs;
      },
    };
    const settled = await Promise.allSettled([1, 2, 3, 4].map((job) => lane.add(group, job)));
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    expect(tried).toEqual([[1, 2, 3, 4], [1], [2]]);
  });
});

/** A lane with a transaction that lasts until `finish`, and the jobs that were written after it. */
async function createBusyLane() {
  const lane = createWriteLane(createCommitTally());
  const written: number[] = [];
  const limits: number[] = [];
  const busy = Promise.withResolvers<void>();
  const group: JobGroup<number, number> = {
    maxBatch: 100,
    async write(jobs, { endBy }) {
      limits.push(endBy);
      if (jobs.includes(0)) await busy.promise;
      written.push(...jobs);
      return jobs;
    },
  };
  const add = (job: number, terms?: WriteTerms) =>
    lane.add(group, job, terms).then(
      () => "written",
      (error: unknown) => (error instanceof AppError ? error.code : error),
    );
  const first = add(0);
  await turns();
  return { lane, add, written, limits, finish: () => (busy.resolve(), first) };
}
const inMs = (ms: number) => performance.now() + ms;

describe("a write whose caller waits for a limited time", () => {
  it("is withdrawn while another transaction takes too long, and is never written", async () => {
    const { add, written, finish } = await createBusyLane();
    const late = add(1, { by: inMs(10_000) });
    const patient = add(2);
    let isSettled = false;
    void late.then(() => (isSettled = true));
    await vi.advanceTimersByTimeAsync(7_000);
    expect(isSettled).toBe(false);
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 9_000);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await late).toBe("store_unavailable");
    await finish();
    expect(await patient).toBe("written");
    expect(written).toEqual([0, 2]);
    vi.restoreAllMocks();
  });

  it("does not begin if the caller is gone when its turn comes", async () => {
    const { add, written, finish } = await createBusyLane();
    let isAbandoned = false;
    const gone = add(1, { by: inMs(60_000), isAbandoned: () => isAbandoned });
    const stays = add(2, { by: inMs(60_000), isAbandoned: () => false });
    isAbandoned = true;
    await finish();
    expect([await gone, await stays]).toEqual(["store_unavailable", "written"]);
    expect(written).toEqual([0, 2]);
  });

  it("gives its transaction the first limit of all its writes", async () => {
    const { add, limits, finish } = await createBusyLane();
    const [long, short] = [inMs(60_000), inMs(20_000)];
    const both = [add(1, { by: long }), add(2, { by: short }), add(3)];
    await finish();
    expect(await Promise.all(both)).toEqual(["written", "written", "written"]);
    expect(limits).toEqual([Infinity, short]);
  });
});
