import { rmSync } from "node:fs";
import { smallBody } from "../load/bodies.ts";
import { count, milliseconds, ratio } from "../report/format.ts";
import { median, percentile, ratioByRounds } from "../report/statistics.ts";
import { endpoints } from "../service/bench-project.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { startServer } from "../service/start-server.ts";
import { byTurns } from "./by-turns.ts";
import type { Bench } from "./bench.ts";
import type { Row } from "./row.ts";

const connections = 50;

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
  const post = (to: string, perSecond: number | null) =>
    bench.client.post({ url: to, headers: {}, bodies, connections, ms: bench.turnMs, perSecond }, 202);
  try {
    await post(url, null);
    const full = await post(url, null);
    const half = Math.round((full.answered / full.ms) * 500);
    const turnOf = (to: string) => async (): Promise<Latency> => {
      const { latencies } = await post(to, half);
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
        goal: null,
        isMet: null,
        durability: "ours: fsync before each 202; the other: none",
      };
    });
  } finally {
    plain.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
