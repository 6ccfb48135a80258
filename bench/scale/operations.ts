import type { ClaimedRun } from "../../server/ports/store/engine-store.ts";
import type { Store } from "../../server/ports/store.ts";
import { timeAccepts } from "../accepts/time-accepts.ts";

/** Milliseconds of an operation, by its name. */
export type Times = Record<string, number>;

const accepts = { verdicts: 1, endpoints: 1, inFlight: 50, count: 500 };
const claims = 10;
const slots = 20;
const reads = 20;
const leaseMs = 12_000;

/** Each round leaves the store as it was, but for some hundred finished runs. */
export async function measureOperations(store: Store): Promise<Times> {
  const accepted = await timeAccepts(store, { ...accepts, isAssigned: false }, () => 0);
  const assigned = await timeAccepts(store, { ...accepts, isAssigned: true }, () => 0);
  const claimed = await measureClaims(store);
  const page = { limit: 50, cursor: null };
  return {
    "accept, the run is queued (50 in flight)": accepted.wall,
    "accept, the run is assigned (50 in flight)": assigned.wall,
    ...claimed,
    "page of 50 runs, the newest": await timeReads(() => store.listRuns({}, page)),
    "page of 50 runs of a trigger": await timeReads(() => store.listRuns({ trigger: "trigger-7" }, page)),
    "page of 50 runs that are queued": await timeReads(() => store.listRuns({ status: "queued" }, page)),
    "page of 50 runs that have completed": await timeReads(() => store.listRuns({ status: "completed" }, page)),
    "page of 50 deliveries, the newest": await timeReads(() => store.listDeliveries({}, page)),
    "page of 50 deliveries of an endpoint": await timeReads(() =>
      store.listDeliveries({ endpoint: "team/endpoint-7" }, page),
    ),
    "the mark that pages poll": await timeReads(() => store.mark()),
    "removal of 200 old deliveries with their runs": await measureRemoval(store),
  };
}

async function measureClaims(store: Store): Promise<Times> {
  const runs: ClaimedRun[] = [];
  const began = performance.now();
  for (let n = 0; n < claims; n += 1)
    runs.push(
      ...(await store.claimRuns({
        slots: Array.from({ length: slots }, () => "wrk_bench"),
        pool: "shared",
        limits: new Map(),
        now: Date.now(),
        leaseMs,
      })),
    );
  const claimedMs = performance.now() - began;
  if (runs.length !== claims * slots) throw new Error(`${runs.length} instead of ${claims * slots} runs were claimed`);
  const endedMs = await timeEnds(store, runs);
  return { "claim of 20 queued runs": claimedMs / claims, "end of a claimed run": endedMs / runs.length };
}

async function timeEnds(store: Store, runs: readonly ClaimedRun[]): Promise<number> {
  const began = performance.now();
  await Promise.all(
    runs.map(({ id, token }) =>
      store.writeProgress({
        runId: id,
        token,
        now: Date.now(),
        entries: [],
        transition: { to: "completed", output: null },
      }),
    ),
  );
  return performance.now() - began;
}

async function timeReads(read: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < reads; n += 1) await read();
  return (performance.now() - began) / reads;
}

async function measureRemoval(store: Store): Promise<number> {
  const began = performance.now();
  const before = Date.now() - 3_600_000;
  for (let removed = 0; removed === 0;)
    ({ removed } = await store.removeOldDeliveries({ before, keysSince: before, after: null }));
  return performance.now() - began;
}
