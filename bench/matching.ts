// Measures the cost of finding the triggers of a body:
//
//     node bench/matching.ts [--rounds 30] [--most 10000]
//
// Prints tables of CPU time of this thread: medians over rounds that measure all sizes in turn. Only the ratios within
// one run are meaningful.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bodiesOf, headers } from "./matching/bodies.ts";
import { measureByTurns } from "./matching/measure-by-turns.ts";
import { measureDelivery } from "./matching/measure-delivery.ts";
import { makeTriggers, shapes } from "./matching/make-triggers.ts";
import { evaluateTriggers, matchTriggers } from "../server/matching/match-triggers.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "30" }, most: { type: "string", default: "10000" } },
});
const rounds = Number(values.rounds);
const sizes = [10, 50, 100, 1_000, 10_000].filter((size) => size <= Number(values.most));

const rows = [];
for (const shape of shapes) {
  const endpoints = sizes.map((size) => ({ size, ...makeTriggers(shape, size) }));
  for (const { name, body } of bodiesOf()) {
    const found = measureByTurns({
      rounds,
      perRoundMs: 10,
      actions: endpoints.map((endpoint) => () => matchTriggers({ ...endpoint, body, headers }).matches.length),
    });
    const explained = measureByTurns({
      rounds: 5,
      perRoundMs: 20,
      actions: endpoints.map((endpoint) => () => matchTriggers({ ...endpoint, body, headers }).list().verdicts.length),
    });
    const asked = measureByTurns({
      rounds: 5,
      perRoundMs: 20,
      actions: endpoints.map(
        ({ triggers }) =>
          () =>
            evaluateTriggers(triggers, body, headers).length,
      ),
    });
    for (const [at, { size, triggers, index }] of endpoints.entries()) {
      rows.push({
        shape,
        body: name,
        triggers: size,
        matching: matchTriggers({ triggers, index, body, headers }).matches.length,
        "find µs": round(found[at]),
        "to 10": ratio(found, at),
        "find and explain µs": round(explained[at]),
        "to 10 ": ratio(explained, at),
        "ask all µs": round(asked[at]),
        "to 10  ": ratio(asked, at),
      });
    }
  }
}
console.log(
  "1,000 triggers that differ in a header, against 1,000 that differ in a field of the body. Goal: 1.2 at most.",
);
console.table(
  bodiesOf().map(({ name, body }) => {
    const endpoints = (["filters, one request", "headers, one request"] as const).map((shape) =>
      makeTriggers(shape, 1_000),
    );
    const [without = Number.NaN, withHeaders = Number.NaN] = measureByTurns({
      rounds,
      perRoundMs: 10,
      actions: endpoints.map((endpoint) => () => matchTriggers({ ...endpoint, body, headers }).matches.length),
    });
    return {
      body: name,
      "filters µs": round(without),
      "headers µs": round(withHeaders),
      ratio: round(withHeaders / without),
    };
  }),
);
console.log(
  "Find: which triggers match, by the index. Explain: their verdicts as a delivery lists them. Ask all: Zod words every verdict.",
);
console.table(rows);

const folder = await mkdtemp(join(tmpdir(), "signalbox-bench-"));
try {
  console.log(
    "A complete delivery: found, explained and recorded with its run, in a commit of its own and with fifty in one; the bytes of its row. Each matches another trigger.",
  );
  for (const [at, shape] of shapes.entries())
    console.table(
      await measureDelivery({ file: join(folder, `${at}.db`), shape, sizes, rounds: Math.ceil(rounds / 3) }),
    );
} finally {
  await rm(folder, { recursive: true, force: true });
}

function round(value: number | undefined): number {
  return Math.round((value ?? 0) * 100) / 100;
}

function ratio(times: readonly number[], at: number): number {
  return round((times[at] ?? 0) / (times[0] ?? 1));
}
