import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { smallBody } from "../load/bodies.ts";
import { count } from "../report/format.ts";
import { endpoints } from "../service/bench-project.ts";
import { residentMb } from "../service/process-tree.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { startServer } from "../service/start-server.ts";
import type { Bench } from "./bench.ts";
import type { Row } from "./row.ts";

const programs = ["receiver", "web", "worker"] as const;
const goals = { receiver: 70, web: 130, worker: 80 };
/** Enough for what a start leaves behind to be collected. */
const restMs = 5_000;

/** Resident memory of the processes at rest: after the start, and after a load. */
export async function measureMemory(bench: Bench): Promise<Row[]> {
  const folder = bench.makeProject({ workers: 1 });
  const service = await startSignalbox({ folder });
  const plain = await startServer("plain");
  const read = (program: (typeof programs)[number]) => residentMb(service.child.pid, program);
  try {
    await delay(restMs);
    const bare = residentMb(plain.pid, "plain");
    const fresh = { receiver: read("receiver"), web: read("web"), worker: read("worker") };
    const { statuses } = await bench.client.post(
      {
        url: service.urlOf(endpoints.executed),
        headers: {},
        bodies: smallBody().bodies,
        connections: 50,
        ms: bench.turnMs,
        perSecond: null,
      },
      202,
    );
    await delay(restMs);
    const loaded = { receiver: read("receiver"), web: read("web"), worker: read("worker") };
    return programs.flatMap((program): Row[] => [
      {
        ...common,
        work: `${program}, ${restMs / 1000} s after the start`,
        ours: count(fresh[program]),
        other: `a bare node:http server: ${count(bare)}`,
        ratio: (fresh[program] / bare).toFixed(2),
        goal: `≤ ${goals[program]}`,
        isMet: fresh[program] <= goals[program],
      },
      {
        ...common,
        work: `${program}, ${restMs / 1000} s after ${count(statuses[202] ?? 0)} webhooks in ${bench.turnMs / 1000} s`,
        ours: count(loaded[program]),
        goal: null,
        isMet: null,
      },
    ]);
  } finally {
    plain.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const common = { measure: "resident MB", other: null, ratio: null, durability: "–" };
