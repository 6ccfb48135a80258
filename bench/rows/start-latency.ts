import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isOpenSql } from "../../server/store/sqlite/stored-forms.ts";
import { openStored } from "../../scripts/open-stored.ts";
import { smallBody } from "../load/bodies.ts";
import { milliseconds } from "../report/format.ts";
import { median, percentile } from "../report/statistics.ts";
import { endpoints } from "../service/bench-project.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import type { Bench } from "./bench.ts";
import { executeTurn, watchOpen } from "./execute-turn.ts";
import type { Row } from "./row.ts";

const perSecond = 50;
const outputSchema = z.object({ beganAt: z.number() });
const anyRunIsOpen = `SELECT EXISTS (SELECT 1 FROM run WHERE ${isOpenSql})`;

/**
 * How long after a webhook came its run's first line is executed, while there is little to do. By the runs' own clock,
 * from the store.
 */
export async function measureStartLatency(bench: Bench): Promise<Row[]> {
  const folder = bench.makeProject({ workers: 1 });
  const service = await startSignalbox({ folder, nodeOptions: bench.nodeOptions });
  const file = join(folder, ".signalbox/signalbox.db");
  const open = watchOpen(file, anyRunIsOpen);
  const { name, bodies } = smallBody();
  const turn = () =>
    executeTurn(
      () =>
        bench.client.post(
          { url: service.urlOf(endpoints.timed), headers: {}, bodies, connections: 4, ms: bench.turnMs, perSecond },
          202,
        ),
      open.isEmpty,
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
      turns.push(readWaits(file, since));
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
        goal: null,
        isMet: null,
        durability: "fsync before each run starts, twice: accepted, claimed",
      };
    });
  } finally {
    open.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In milliseconds, sorted. What was received is known to the millisecond, so each is up to one too long. */
function readWaits(file: string, since: number): Float64Array {
  const db = openStored(file);
  try {
    const rows = db
      .prepare<[string, number], { receivedAt: number; output: string }>(
        "SELECT delivery.received_at AS receivedAt, run.output AS output FROM stored_run AS run JOIN delivery ON delivery.seq = run.delivery WHERE run.trigger = ? AND run.created_at >= ? AND run.status = 'completed'",
      )
      .all(endpoints.timed, since);
    return Float64Array.from(
      rows,
      ({ receivedAt, output }) => outputSchema.parse(JSON.parse(output)).beganAt - receivedAt,
    ).sort();
  } finally {
    db.close();
  }
}
