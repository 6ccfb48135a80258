import { smallBody } from "../load/bodies.ts";
import { count, ratio } from "../report/format.ts";
import { atLeast, atMost } from "../report/goal.ts";
import { median, ratioByRounds } from "../report/statistics.ts";
import { byTurns } from "../measure/by-turns.ts";
import type { Bench } from "../measure/bench.ts";
import { connections, setExecuteStage } from "../measure/execute-stage.ts";
import type { ExecuteTurn } from "../measure/execute-turn.ts";
import type { Row } from "../measure/row.ts";

const goals = { toRestate: 5, toReference: 0.5, cpuToReference: 3, drainMs: 1_000 };

type Side = "ours" | "reference";

/** Webhooks accepted and executed a second, up to the end of the last run, and the CPU time of each. */
export async function measureAcceptsAndRuns(bench: Bench): Promise<Row[]> {
  const stage = await setExecuteStage(bench, { withPeer: true });
  const amount = { ms: bench.turnMs };
  try {
    if (bench.profile) {
      await bench.profile(stage.service, () => stage.ours(amount));
      return [];
    }
    const { peer } = stage;
    /** CPU time of a side at the beginning of each of its turns, and at the end. */
    const cpuMs: Record<Side, number[]> = { ours: [], reference: [] };
    const turnOf = (side: Side) => () => {
      cpuMs[side].push(stage.cpuMs(side));
      return stage[side](amount);
    };
    const sides = { ours: turnOf("ours"), reference: turnOf("reference") };
    const turns: { ours: ExecuteTurn[]; reference: ExecuteTurn[]; peer?: ExecuteTurn[] } = peer
      ? await byTurns({ ...sides, peer: () => peer.turn(amount) }, bench.rounds)
      : await byTurns(sides, bench.rounds);
    for (const side of ["ours", "reference"] as const) cpuMs[side].push(stage.cpuMs(side));
    await stage.checkStored();
    return [
      ...(peer && turns.peer ? [toPeerRow(turns.ours, turns.peer, peer)] : []),
      toReferenceRow(turns),
      cpuRow({
        ours: cpuPerWebhook(turns.ours, cpuMs.ours),
        reference: cpuPerWebhook(turns.reference, cpuMs.reference),
      }),
      drainRow(turns.ours),
    ];
  } finally {
    await stage.close();
  }
}

/** In microseconds, for each turn. Measured from one turn of a side to its next, so that deferred work counts, too. */
function cpuPerWebhook(turns: readonly ExecuteTurn[], cpuMs: readonly number[]): number[] {
  // The first is that of the warm-up.
  const [, ...marks] = cpuMs;
  return turns.map(
    ({ answered }, at) => (((marks[at + 1] ?? Number.NaN) - (marks[at] ?? Number.NaN)) * 1000) / answered,
  );
}

const work = `${smallBody().name}, ${connections} connections; one worker executes all`;
const referenceName = "bare node:http + SQLite, executes on the same loop";

function toPeerRow(
  ours: readonly ExecuteTurn[],
  theirs: readonly ExecuteTurn[],
  peer: { name: string; durability: string },
): Row {
  const toPeer = ratioByRounds(rates(ours), rates(theirs));
  return {
    work,
    measure: "accepted and executed a second",
    ours: count(median(rates(ours))),
    other: `${peer.name}: ${count(median(rates(theirs)))}`,
    ratio: ratio(toPeer),
    ...atLeast(goals.toRestate, toPeer.median),
    durability: `ours: fsync before each 202; Restate: ${peer.durability}`,
  };
}

function toReferenceRow({ ours, reference }: Record<Side, ExecuteTurn[]>): Row {
  const toReference = ratioByRounds(rates(ours), rates(reference));
  return {
    work,
    measure: "accepted and executed a second",
    ours: count(median(rates(ours))),
    other: `${referenceName}: ${count(median(rates(reference)))}`,
    ratio: ratio(toReference),
    ...atLeast(goals.toReference, toReference.median),
    durability: "both: fsync before each 202 and for each end",
  };
}

function cpuRow({ ours, reference }: Record<Side, number[]>): Row {
  const toReference = ratioByRounds(ours, reference);
  return {
    work,
    measure: "µs of CPU for each webhook accepted and executed, all processes",
    ours: count(median(ours)),
    other: `${referenceName}: ${count(median(reference))}`,
    ratio: ratio(toReference),
    ...atMost(goals.cpuToReference, toReference.median),
    durability: "both: fsync before each 202 and for each end",
  };
}

function drainRow(ours: readonly ExecuteTurn[]): Row {
  const drainMs = median(ours.map((turn) => turn.drainMs));
  return {
    work,
    measure: "ms from the last 202 to the end of the last run",
    ours: count(drainMs),
    other: null,
    ratio: null,
    ...atMost(goals.drainMs, drainMs),
    durability: "fsync for each end",
  };
}

function rates(turns: readonly ExecuteTurn[]): number[] {
  return turns.map(({ perSecond }) => perSecond);
}
