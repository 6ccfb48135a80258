import { matchTriggers } from "../../server/matching/match-triggers.ts";
import { bodiesOf } from "../matching/bodies.ts";
import { makeTriggers } from "../matching/make-triggers.ts";
import { measureByTurns } from "../matching/measure-by-turns.ts";
import { count } from "../report/format.ts";
import { noGoal } from "../report/goal.ts";
import type { Bench } from "../measure/bench.ts";
import type { Row } from "../measure/row.ts";

const sizes = [10, 100, 1_000, 10_000];

/**
 * The cost of finding, among many triggers on one endpoint, the one that matches a body of GitHub. `bench/matching.ts`
 * has
 * more shapes and bodies.
 */
export async function measureMatching(bench: Bench): Promise<Row[]> {
  const body = bodiesOf()[1];
  if (!body) throw new Error("There is no body of GitHub's");
  const endpoints = sizes.map((size) => makeTriggers("filters, one request", size));
  const times = measureByTurns({
    rounds: bench.rounds * 3,
    perRoundMs: 10,
    actions: endpoints.map((endpoint) => () => matchTriggers({ ...endpoint, body: body.body }).matches.length),
  });
  const [ten = Number.NaN] = times;
  return sizes.map((size, at): Row => {
    const microseconds = times[at] ?? Number.NaN;
    return {
      work: `one of ${count(size)} triggers on an endpoint matches a body of ${body.name}`,
      measure: "µs of CPU to find it",
      ours: microseconds.toFixed(1),
      other: size === 10 ? null : `of 10 triggers: ${ten.toFixed(1)}`,
      ratio: size === 10 ? null : (microseconds / ten).toFixed(2),
      ...noGoal,
      durability: "–",
    };
  });
}
