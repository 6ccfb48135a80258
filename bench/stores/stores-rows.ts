import type { Row } from "../measure/row.ts";
import { count, milliseconds, ratio } from "../report/format.ts";
import { atLeast, atMost, noGoal } from "../report/goal.ts";
import { median, ratioByRounds } from "../report/statistics.ts";
import type { StoreResult, WebResult } from "./measure-stores.ts";

/** Ratios compare results of the same rounds. */
const goals = {
  /** Half of the rate of SQLite, with one worker, at commit f1137477: 6,644. */
  accepts: 3_322,
  acceptsWithIdleWorkers: 0.95,
  acceptsOfTwoWebs: 1,
  runsOfFourToOne: 1.5,
  /** Twice the rates at commit f1137477: 1,188, 1,578 and 1,559 with 1, 2 and 4 workers. */
  runs: new Map([
    [1, 2_376],
    [2, 3_156],
    [4, 3_118],
  ]),
  startP50: 8,
  startP99: 30,
  /** A heartbeat of each of four workers every five seconds, and one more of each at the ends of the measured time. */
  idleWrites: 1.2,
};

const work = "300 bytes, 50 connections; runs stay queued";
const durability = "fsync before each 202";

export function storesRows(stores: readonly StoreResult[], webs: readonly WebResult[]): Row[] {
  const find = (store: StoreResult["store"], workers: number) => {
    const found = stores.find((one) => one.store === store && one.workers === workers);
    if (!found) throw new Error(`${store} with ${workers} workers was not measured`);
    return found;
  };
  return [
    ...stores.map((result) => acceptsRow(result, find)),
    ...websRows(webs),
    ...stores.map((result) => runsRow(result, find)),
    ...stores.flatMap((result) => waitingRow(result, find)),
    ...stores.flatMap(startRows),
    ...stores.flatMap(idleRows),
  ];
}

type Find = (store: StoreResult["store"], workers: number) => StoreResult;

function nameOf({ store, workers }: Pick<StoreResult, "store" | "workers">): string {
  return `${store}, ${workers} ${workers === 1 ? "worker" : "workers"}`;
}

function acceptsRow(result: StoreResult, find: Find): Row {
  const { store, workers, accepts } = result;
  const row = { work: `${work}; ${nameOf(result)}, idle`, measure: "accepts a second", ours: count(median(accepts)) };
  const alone = { other: null, ratio: null, ...noGoal, durability };
  if (store === "SQLite") return { ...row, ...alone };
  const beside = workers === 1 ? find("SQLite", 1) : find("Postgres", 1);
  const compared = ratioByRounds(accepts, beside.accepts);
  const atRate = atLeast(goals.accepts, median(accepts));
  return {
    ...row,
    other: `${nameOf(beside)}: ${count(median(beside.accepts))}`,
    ratio: ratio(compared),
    // Four idle workers are the goal; two are shown.
    ...(workers === 1
      ? { ...atRate, goal: `${atRate.goal} a second` }
      : workers === 2
        ? noGoal
        : atLeast(goals.acceptsWithIdleWorkers, compared.median)),
    durability,
  };
}

function websRows([one, two]: readonly WebResult[]): Row[] {
  if (!one || !two) return [];
  const compared = ratioByRounds(two.accepts, one.accepts);
  return [
    {
      work: `${work}; Postgres, two services with \`--role web\`, without workers`,
      measure: "accepts a second",
      ours: count(median(two.accepts)),
      other: `one: ${count(median(one.accepts))}`,
      ratio: ratio(compared),
      ...atLeast(goals.acceptsOfTwoWebs, compared.median),
      durability,
    },
  ];
}

function runsRow(result: StoreResult, find: Find): Row {
  const { store, workers, runs } = result;
  const alone = find(store, 1);
  const toOne = ratioByRounds(runs, alone.runs);
  const perSecond = median(runs);
  const atRate = atLeast(goals.runs.get(workers) ?? Number.NaN, perSecond);
  const toOneWorker = atLeast(goals.runsOfFourToOne, toOne.median);
  const both = {
    goal: `${atRate.goal} a second; ${toOneWorker.goal} of one worker`,
    isMet: atRate.isMet === true && toOneWorker.isMet === true,
  };
  return {
    work: `a backlog of runs that return at once; ${nameOf(result)}`,
    measure: "runs a second",
    ours: count(perSecond),
    other: workers === 1 ? null : `one worker: ${count(median(alone.runs))}`,
    ratio: workers === 1 ? null : ratio(toOne),
    ...(store === "SQLite" ? noGoal : workers === 4 ? both : atRate),
    durability: "fsync for each end",
  };
}

/** Runs that use next to no CPU: of one worker after another, only the number of its runs at a time is a limit. */
function waitingRow(result: StoreResult, find: Find): Row[] {
  const { store, workers, waitingRuns } = result;
  if (store === "SQLite") return [];
  const alone = find(store, 1).waitingRuns;
  const toOne = ratioByRounds(waitingRuns, alone);
  return [
    {
      work: `a backlog of runs that wait for 50 ms; ${nameOf(result)}`,
      measure: "runs a second",
      ours: count(median(waitingRuns)),
      other: workers === 1 ? null : `one worker: ${count(median(alone))}`,
      ratio: workers === 1 ? null : ratio(toOne),
      ...(workers === 4 ? atLeast(goals.runsOfFourToOne, toOne.median) : noGoal),
      durability: "fsync for each end",
    },
  ];
}

function startRows(result: StoreResult): Row[] {
  return (["p50", "p99"] as const).map((part): Row => {
    const value = median(result[part]);
    const goal = atMost(part === "p50" ? goals.startP50 : goals.startP99, value);
    return {
      work: `300 bytes, 50 a second: received → the first line of its run; ${nameOf(result)}`,
      measure: `ms, ${part}`,
      ours: milliseconds(value),
      other: null,
      ratio: null,
      ...(result.store === "SQLite" ? noGoal : goal),
      durability: "fsync before each run starts",
    };
  });
}

function idleRows({ idleWrites, ...result }: StoreResult): Row[] {
  if (result.store === "SQLite" || result.workers !== 4) return [];
  return [
    {
      work: `nothing is received; ${nameOf(result)}`,
      measure: "rows written, a second",
      ours: median(idleWrites).toFixed(1),
      other: "heartbeats of four workers: 0.8",
      ratio: null,
      ...atMost(goals.idleWrites, median(idleWrites)),
      durability: "–",
    },
  ];
}
