import { rmSync } from "node:fs";
import { z } from "zod";
import { smallBody } from "../load/bodies.ts";
import { milliseconds } from "../report/format.ts";
import { atMost, noGoal } from "../report/goal.ts";
import { median, percentile } from "../report/statistics.ts";
import { endpoints } from "../service/bench-project.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { openSqliteReader, type StoreReader, storeFileOf } from "../service/store-reader.ts";
import type { Bench } from "../measure/bench.ts";
import { executeTurn } from "../measure/execute-turn.ts";
import type { Row } from "../measure/row.ts";

const perSecond = 50;
const goalP50Ms = 3;
const outputSchema = z.object({ beganAt: z.number() });

/**
 * The time from the arrival of a webhook until the first line of its run is executed, with little load. Measured by the
 * clock of the runs, from the store.
 */
export async function measureStartLatency(bench: Bench): Promise<Row[]> {
  const folder = bench.makeProject({ workers: 1 });
  const service = await startSignalbox({ folder, nodeOptions: bench.nodeOptions });
  const store = openSqliteReader(storeFileOf(folder));
  const { name, bodies } = smallBody();
  const turn = () =>
    executeTurn(
      () =>
        bench.client.post(
          { url: service.urlOf(endpoints.timed), bodies, connections: 4, ms: bench.turnMs, perSecond },
          202,
        ),
      () => !store.hasAnyOpen(),
    );
  try {
    if (bench.profile) {
      await bench.profile(service, turn);
      return [];
    }
    const turns: Float64Array[] = [];
    await turn();
    for (let round = 0; round < bench.rounds; round++) {
      const since = Date.now();
      await turn();
      turns.push(await readWaits(store, since));
    }
    return (
      [
        ["p50", 0.5],
        ["p99", 0.99],
      ] as const
    ).map(([what, part]): Row => {
      const values = turns.map((waits) => percentile(waits, part));
      return {
        work: `${name}, ${perSecond} a second: received → the first line of its run`,
        measure: `ms, ${what} (lowest–highest)`,
        ours: `${milliseconds(median(values))} (${milliseconds(Math.min(...values))}–${milliseconds(Math.max(...values))})`,
        other: null,
        ratio: null,
        ...(what === "p50" ? atMost(goalP50Ms, median(values)) : noGoal),
        durability: "fsync before each run starts",
      };
    });
  } finally {
    await store.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * In milliseconds, sorted. The store has the time of the webhook in whole milliseconds, so each value may be up to one
 * too high.
 */
async function readWaits(store: StoreReader, since: number): Promise<Float64Array> {
  const runs = await store.completed(endpoints.timed, since);
  return Float64Array.from(
    runs,
    ({ output, receivedAt }) => outputSchema.parse(JSON.parse(output ?? "")).beganAt - (receivedAt ?? Number.NaN),
  ).sort();
}
