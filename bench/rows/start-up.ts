import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { smallBody } from "../load/bodies.ts";
import { milliseconds, ratio } from "../report/format.ts";
import { atMost } from "../report/goal.ts";
import { median, ratioByRounds } from "../report/statistics.ts";
import { endpoints } from "../service/bench-project.ts";
import { freePort } from "../../scripts/free-port.ts";
import { launch, runSignalbox, stopProcess } from "../service/signalbox-service.ts";
import { startServer } from "../service/start-server.ts";
import type { Bench } from "../measure/bench.ts";
import type { Row } from "../measure/row.ts";

const durability = "202: fsync before it";

/** The waiting times of a user: for `start`, for `dev`, and until a saved file is served. Medians over the rounds. */
export async function measureStartUp(bench: Bench): Promise<Row[]> {
  const folder = bench.makeProject({ workers: 1 });
  try {
    runSignalbox(folder, ["build"]);
    const [bare, starts, devs, reloads]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let round = 0; round < bench.rounds; round++) {
      bare.push(await timeBare());
      starts.push(await timeStart(folder));
      const dev = await timeDev(folder);
      devs.push(dev.firstAcceptMs);
      reloads.push(...dev.reloadsMs);
    }
    return [
      aRow({ work: "`signalbox start` → GET /readyz says 200", times: starts, bare, goalMs: 1_500, durability: "–" }),
      aRow({ work: "`signalbox dev` → the first 202", times: devs, bare, goalMs: 3_000, durability }),
      aRow({
        work: "a trigger's file is saved in `dev` → the first webhook that it evaluates",
        times: reloads,
        bare: null,
        goalMs: 500,
        durability,
      }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function aRow({
  work,
  times,
  bare,
  goalMs,
  durability,
}: {
  work: string;
  times: number[];
  bare: number[] | null;
  goalMs: number;
  durability: string;
}): Row {
  const middle = median(times);
  return {
    work,
    measure: "ms (lowest–highest)",
    ours: `${milliseconds(middle)} (${milliseconds(Math.min(...times))}–${milliseconds(Math.max(...times))})`,
    other: bare && `a bare node:http server → its first answer: ${milliseconds(median(bare))}`,
    ratio: bare && ratio(ratioByRounds(times, bare)),
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

async function timeDev(folder: string): Promise<{ firstAcceptMs: number; reloadsMs: number[] }> {
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
    for (const [written, status] of [
      [text.replace("request:", 'filter: z.object({ email: z.literal("nobody@example.com") }), request:'), 200],
      [text, 202],
    ] as const) {
      // The file watcher gets a moment between two changes, as with a person.
      await delay(500);
      const saved = performance.now();
      writeFileSync(file, written);
      await until(async () => (await statusOf()) === status);
      reloadsMs.push(performance.now() - saved);
    }
    return { firstAcceptMs, reloadsMs };
  } finally {
    writeFileSync(file, text);
    await stopProcess(child);
  }
}

/** Polls every five milliseconds, for a minute. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadline) throw new Error("It did not come within a minute");
    await delay(5);
  }
}
