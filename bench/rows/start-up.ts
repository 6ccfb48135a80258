import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { smallBody } from "../load/bodies.ts";
import { milliseconds, ratio } from "../report/format.ts";
import { atMost } from "../report/goal.ts";
import { median, ratioByRounds } from "../report/statistics.ts";
import { endpoints } from "../service/bench-project.ts";
import { freePort } from "../../scripts/free-port.ts";
import { packageRoot } from "../../server/paths.ts";
import { launch, runSignalbox, stopProcess } from "../service/signalbox-service.ts";
import { startServer } from "../service/start-server.ts";
import type { Bench } from "../measure/bench.ts";
import type { Row } from "../measure/row.ts";

const durability = "202: fsync before it";

/** The waiting times of a user: for `start`, for `dev`, and until a saved file is served. Medians over the rounds. */
export async function measureStartUp(bench: Bench): Promise<Row[]> {
  const folder = bench.makeProject({ workers: 1 });
  const withSdks = bench.makeProject({ workers: 1 });
  addSdks(withSdks);
  try {
    runSignalbox(folder, ["build"]);
    const [bare, starts, devs]: [number[], number[], number[]] = [[], [], []];
    const [reloads, reloadsWithSdks]: [number[], number[]] = [[], []];
    for (let round = 0; round < bench.rounds; round++) {
      bare.push(await timeBare());
      starts.push(await timeStart(folder));
      const dev = await timeDev(folder, 500);
      devs.push(dev.firstAcceptMs);
      reloads.push(...dev.reloadsMs);
      reloadsWithSdks.push(...(await timeDev(withSdks, 4_000)).reloadsMs);
    }
    const toBare = { name: "a bare node:http server → its first answer", times: bare };
    const saved = "a trigger's file is saved in `dev` → the first webhook that it evaluates";
    return [
      aRow({
        work: "`signalbox start` → GET /readyz says 200",
        times: starts,
        other: toBare,
        goalMs: 1_500,
        durability: "–",
      }),
      aRow({ work: "`signalbox dev` → the first 202", times: devs, other: toBare, goalMs: 3_000, durability }),
      aRow({ work: saved, times: reloads, other: null, goalMs: 500, durability }),
      aRow({
        work: `${saved}; its workflow imports Stripe, Octokit, Drizzle and pg`,
        times: reloadsWithSdks,
        other: { name: "the same without these packages", times: reloads },
        goalMs: 500,
        durability,
      }),
    ];
  } finally {
    for (const project of [folder, withSdks]) rmSync(project, { recursive: true, force: true });
  }
}

/**
 * The clients of the SDKs in a file that the workflow of the measured trigger imports, and the packages of this
 * repository.
 */
function addSdks(folder: string): void {
  const modules = join(folder, "node_modules");
  const installed = readdirSync(modules).filter((name) => !name.startsWith("."));
  const links = installed.map((name) => [name, realpathSync(join(modules, name))] as const);
  rmSync(modules, { recursive: true });
  mkdirSync(modules);
  for (const [name, target] of links) symlinkSync(target, join(modules, name));
  for (const name of ["stripe", "octokit", "drizzle-orm", "pg"])
    symlinkSync(join(packageRoot, "node_modules", name), join(modules, name));
  copyFileSync(join(packageRoot, "bench/service/sdk-clients.ts"), join(folder, "clients.ts"));
  const workflow = join(folder, "workflows/trivial.ts");
  writeFileSync(
    workflow,
    `import * as clients from "../clients";\n${readFileSync(workflow, "utf8")}\nvoid Object.keys(clients);\n`,
  );
}

function aRow({
  work,
  times,
  other,
  goalMs,
  durability,
}: {
  work: string;
  times: number[];
  /** Measured in the same rounds. */
  other: { name: string; times: number[] } | null;
  goalMs: number;
  durability: string;
}): Row {
  const middle = median(times);
  return {
    work,
    measure: "ms (lowest–highest)",
    ours: `${milliseconds(middle)} (${milliseconds(Math.min(...times))}–${milliseconds(Math.max(...times))})`,
    other: other && `${other.name}: ${milliseconds(median(other.times))}`,
    ratio: other && ratio(ratioByRounds(times, other.times)),
    ...atMost(goalMs, middle),
    durability,
  };
}

async function timeBare(): Promise<number> {
  const began = performance.now();
  const server = await startServer("plain");
  try {
    await until(async () => (await fetch(server.url, { method: "POST", body: "{}" })).status === 202);
    return performance.now() - began;
  } finally {
    server.close();
  }
}

async function timeStart(folder: string): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const child = launch({ folder, port });
  try {
    await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200);
    return performance.now() - began;
  } finally {
    await stopProcess(child);
  }
}

/** `pauseMs`: between two changes, as with a person. The watcher gets a moment, and the next process loads the packages. */
async function timeDev(folder: string, pauseMs: number): Promise<{ firstAcceptMs: number; reloadsMs: number[] }> {
  const port = await freePort();
  const file = join(folder, `triggers/${endpoints.executed}.ts`);
  const text = readFileSync(file, "utf8");
  const statusOf = async () =>
    (
      await fetch(`http://127.0.0.1:${port}/triggers/${endpoints.executed}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: String(smallBody().bodies[0]),
      })
    ).status;
  const began = performance.now();
  const child = launch({ folder, command: "dev", port });
  try {
    await until(async () => (await statusOf()) === 202);
    const firstAcceptMs = performance.now() - began;
    const reloadsMs: number[] = [];
    // Skipped, because its filter does not match; then accepted again.
    const saves = [
      [text.replace("request:", 'filter: z.object({ email: z.literal("nobody@example.com") }), request:'), 200],
      [text, 202],
    ] as const;
    // Twice: the first save comes while the service still warms up.
    for (const [written, status] of [...saves, ...saves]) {
      await delay(pauseMs);
      const saved = performance.now();
      writeFileSync(file, written);
      await until(async () => (await statusOf()) === status, 20);
      reloadsMs.push(performance.now() - saved);
    }
    return { firstAcceptMs, reloadsMs };
  } finally {
    writeFileSync(file, text);
    await stopProcess(child);
  }
}

/** Polls for a minute. A webhook costs the measured service time, so a poll that sends one has longer pauses. */
async function until(isSo: () => Promise<boolean>, pauseMs = 5): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadline) throw new Error("It did not come within a minute");
    await delay(pauseMs);
  }
}
