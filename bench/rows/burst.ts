import { smallBody } from "../load/bodies.ts";
import { count, ratio } from "../report/format.ts";
import { atMost } from "../report/goal.ts";
import { median, ratioByRounds } from "../report/statistics.ts";
import { byTurns } from "../measure/by-turns.ts";
import type { Bench } from "../measure/bench.ts";
import { connections, setExecuteStage } from "../measure/execute-stage.ts";
import type { ExecuteTurn } from "../measure/execute-turn.ts";
import type { Row } from "../measure/row.ts";

const webhooks = 2_000;
const goal = 1.6;

/** The time of a burst of webhooks, from the first request to the end of the last run. */
export async function measureBurst(bench: Bench): Promise<Row[]> {
  const stage = await setExecuteStage(bench, { withPeer: false });
  const amount = { count: webhooks };
  try {
    if (bench.profile) {
      await bench.profile(stage.service, () => stage.ours(amount));
      return [];
    }
    const turns = await byTurns(
      { ours: () => stage.ours(amount), reference: () => stage.reference(amount) },
      // A burst is short.
      bench.rounds * 2,
    );
    await stage.checkStored();
    const [ours, reference] = [timesOf(turns.ours), timesOf(turns.reference)];
    const toReference = ratioByRounds(ours, reference);
    return [
      {
        work: `${count(webhooks)} webhooks of ${smallBody().name}, ${connections} connections; one worker executes all`,
        measure: "ms from the first request to the end of the last run",
        ours: count(median(ours)),
        other: `bare node:http + SQLite, executes on the same loop: ${count(median(reference))}`,
        ratio: ratio(toReference),
        ...atMost(goal, toReference.median),
        durability: "both: fsync before each 202 and for each end",
      },
    ];
  } finally {
    await stage.close();
  }
}

function timesOf(turns: readonly ExecuteTurn[]): number[] {
  return turns.map(({ totalMs }) => totalMs);
}
