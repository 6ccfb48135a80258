import { rmSync } from "node:fs";
import { smallBody } from "../load/bodies.ts";
import { count, milliseconds, ratio } from "../report/format.ts";
import { atMost, noGoal } from "../report/goal.ts";
import { median, percentile, ratioByRounds } from "../report/statistics.ts";
import { endpoints } from "../service/bench-project.ts";
import { untilAtRest } from "../service/process-tree.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { startServer } from "../service/start-server.ts";
import { byTurns } from "../measure/by-turns.ts";
import type { Bench } from "../measure/bench.ts";
import type { Row } from "../measure/row.ts";

const connections = 50;
const goalP99Ms = 10;

interface Latency {
  p50: number;
  p99: number;
}

/**
 * How long a sender waits for its 202 at half of the receiver's maximum load, next to node:http without a store
 * at the same rate.
 */
export async function measureLatency(bench: Bench): Promise<Row[]> {
  const folder = bench.makeProject({ workers: 1 });
  const service = await startSignalbox({ folder, nodeOptions: bench.nodeOptions });
  const plain = await startServer("plain");
  const { bodies } = smallBody();
  const url = service.urlOf(endpoints.queued);
  const post = (to: string, rate: { perSecond?: number }) =>
    bench.client.post({ url: to, bodies, connections, ms: bench.turnMs, ...rate }, 202);
  try {
    await post(url, {});
    const full = await post(url, {});
    const half = Math.round((full.answered / full.ms) * 500);
    const turnOf = (to: string) => async (): Promise<Latency> => {
      const { latencies } = await post(to, { perSecond: half });
      await untilAtRest(service.child.pid);
      return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
    };
    if (bench.profile) {
      await bench.profile(service, turnOf(url));
      return [];
    }
    const turns = await byTurns({ ours: turnOf(url), plain: turnOf(plain.url) }, bench.rounds);
    return (["p50", "p99"] as const).map((what): Row => {
      const [ours, theirs] = [turns.ours.map((turn) => turn[what]), turns.plain.map((turn) => turn[what])];
      return {
        work: `300 bytes, ${count(half)} a second (half of the most), ${connections} connections; runs stay queued`,
        measure: `ms from due to 202, ${what}`,
        ours: milliseconds(median(ours)),
        other: `node:http, no store, as many a second: ${milliseconds(median(theirs))}`,
        ratio: ratio(ratioByRounds(ours, theirs)),
        ...(what === "p99" ? atMost(goalP99Ms, median(ours)) : noGoal),
        durability: "ours: fsync before each 202; the other: none",
      };
    });
  } finally {
    plain.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
