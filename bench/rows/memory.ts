import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { smallBody } from "../load/bodies.ts";
import { count } from "../report/format.ts";
import { atMost, noGoal } from "../report/goal.ts";
import { endpoints } from "../service/bench-project.ts";
import { residentByRole } from "../service/process-tree.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { startServer } from "../service/start-server.ts";
import type { Bench } from "../measure/bench.ts";
import type { Row } from "../measure/row.ts";

const goals = { idle: 260, loaded: 400, idleByRole: { supervisor: 45, receiver: 70, web: 130, worker: 80 } };
/** Long enough for the garbage of the start or of the load to be collected. */
const restMs = 5_000;

/** Resident memory of all processes of the service together, and of each role: idle after the start, and after a load. */
export async function measureMemory(bench: Bench): Promise<Row[]> {
  const folder = bench.makeProject({ workers: 1 });
  const service = await startSignalbox({ folder });
  const plain = await startServer("plain");
  try {
    await delay(restMs);
    const bare = totalOf(residentByRole(plain.pid));
    const idle = residentByRole(service.child.pid);
    const { statuses } = await bench.client.post(
      { url: service.urlOf(endpoints.executed), bodies: smallBody().bodies, connections: 50, ms: bench.turnMs },
      202,
    );
    await delay(restMs);
    const loaded = residentByRole(service.child.pid);
    const afterStart = `${restMs / 1000} s after the start`;
    const afterLoad = `${restMs / 1000} s after ${count(statuses[202] ?? 0)} webhooks in ${bench.turnMs / 1000} s`;
    return [
      { ...rowOfAll(`all processes, ${afterStart}`, idle, bare), ...atMost(goals.idle, totalOf(idle)) },
      { ...rowOfAll(`all processes, ${afterLoad}`, loaded, bare), ...atMost(goals.loaded, totalOf(loaded)) },
      ...rowsOfRoles({ idle, bare, afterStart }),
    ];
  } finally {
    plain.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const bareName = "a bare node:http server";

function rowOfAll(work: string, sizes: ReadonlyMap<string, number>, bare: number): Row {
  const total = totalOf(sizes);
  const parts = [...sizes].map(([role, size]) => `${role} ${count(size)}`);
  return {
    work,
    measure: "resident MB",
    ours: `${count(total)} (${parts.join(", ")})`,
    other: `${bareName}: ${count(bare)}`,
    ratio: (total / bare).toFixed(2),
    ...noGoal,
    durability: "–",
  };
}

/** Without a receiver process, the web process receives, and has the receiver's goal. */
function rowsOfRoles(p: { idle: ReadonlyMap<string, number>; bare: number; afterStart: string }): Row[] {
  const receiver = p.idle.has("receiver") ? "receiver" : "web";
  return [...p.idle].map(([role, size]) => {
    const goal = Object.entries(goals.idleByRole).find(([name]) => name === (role === receiver ? "receiver" : role));
    return {
      work: `${role} process${role === receiver ? ", which receives webhooks" : ""}, ${p.afterStart}`,
      measure: "resident MB",
      ours: count(size),
      other: `${bareName}: ${count(p.bare)}`,
      ratio: (size / p.bare).toFixed(2),
      ...(goal ? atMost(goal[1], size) : noGoal),
      durability: "–",
    };
  });
}

/** NaN without /proc. */
function totalOf(sizes: ReadonlyMap<string, number>): number {
  return sizes.size === 0 ? Number.NaN : [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
