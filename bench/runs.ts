// Measures the rates at which runs begin and end, and the cost of waiting runs:
//
//     node bench/runs.ts [--count 10000] [--most 100000] [--only latency,drain,claims,keys,waits,children,memory,flood] [--workers 1,2] [--waits 1000000]
//
// The service is the real one, from this checkout's sources. The kernel counts the CPU time, so it is valid on a busy
// machine. Times by the clock are not.
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type BenchProject, createBenchProject } from "./runs/bench-project.ts";
import { type BenchService, startBenchService } from "./runs/bench-service.ts";
import { measureChildHeap, measureChildren } from "./runs/measure-children.ts";
import { measureClaims } from "./runs/measure-claims.ts";
import { measureDrain } from "./runs/measure-drain.ts";
import { measureFlood } from "./runs/measure-flood.ts";
import { measureKeys } from "./runs/measure-keys.ts";
import { measureMemory } from "./runs/measure-memory.ts";
import { measureStartLatency } from "./runs/measure-start-latency.ts";
import { measureWaits } from "./runs/measure-waits.ts";
import { rounded } from "./runs/statistics.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "10000" },
    most: { type: "string", default: "100000" },
    only: { type: "string", default: "latency,drain,claims,keys,waits,children,memory,flood" },
    waits: { type: "string", default: "1000000" },
    workers: { type: "string", default: "1,2" },
  },
});
const [count, most] = [Number(values.count), Number(values.most)];
const wanted = new Set(values.only.split(","));
const workers = values.workers.split(",").map(Number);

console.log(
  `${cpus().length} × ${cpus()[0]?.model ?? "?"}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}; ends of runs are on disk (fsync) before they are reported\n`,
);

if (wanted.has("latency")) {
  await onService(1, async (stage) =>
    table("One webhook at a time: milliseconds to its 202, and from there to the first line of run()", [
      await measureStartLatency({ ...stage, count: 200 }),
    ]),
  );
}
if (wanted.has("drain")) {
  const rows: object[] = [];
  for (const slug of ["trivial", "two-steps"] as const) {
    for (const many of workers)
      await onService(
        many,
        async (stage) =>
          void rows.push({
            workflow: slug,
            workers: many,
            runs: count,
            ...(await measureDrain({ ...stage, slug, count })),
          }),
      );
  }
  table("A backlog worked off", rows);
}
if (wanted.has("flood")) {
  const rows: object[] = [];
  for (const many of workers) {
    await onService(many, async (stage) => {
      await measureFlood({ ...stage, forMs: 500 });
      const { cpuUs, ...flood } = await measureFlood({ ...stage, forMs: 4_000 });
      rows.push({
        workers: many,
        ...flood,
        "receiver µs": cpuUs.receiver,
        "web µs": cpuUs.web,
        "worker µs": cpuUs.worker,
        "supervisor µs": cpuUs.supervisor,
      });
    });
  }
  table("Webhooks as fast as they are answered, accepted and run", rows);
}
if (wanted.has("memory")) {
  await onService(1, async (stage) =>
    table(
      "Resident megabytes",
      (await measureMemory({ ...stage, count })).map(({ what, rssMb }) => ({ what, ...rssMb })),
    ),
  );
}
if (wanted.has("children")) {
  table(
    "Heap of a run that calls others at once, in its worker: megabytes",
    await measureChildHeap([0, 1_000, 10_000]),
  );
  await onService(1, async (stage) =>
    table(
      "A run that calls a thousand others, and a thousand runs without a parent, in turns",
      await measureChildren({ ...stage, count: 1_000, rounds: 5 }),
    ),
  );
}
if (wanted.has("claims"))
  table("Claims and pages beside a backlog: CPU, in turns", await measureClaims({ most, rounds: 30 }));

if (wanted.has("keys")) table("Limits for each key, in turns", await measureKeys({ most, rounds: 5 }));
if (wanted.has("waits"))
  table("Runs that wait for events, in turns", await measureWaits({ waits: Number(values.waits), rounds: 9 }));

async function onService(
  many: number,
  measure: (stage: { project: BenchProject; service: BenchService }) => Promise<void>,
): Promise<void> {
  const project = await createBenchProject();
  try {
    const service = await startBenchService(project, { workers: many });
    await measure({ project, service });
    await service.stop();
  } finally {
    project.remove();
  }
}

function table(title: string, rows: readonly object[]): void {
  console.log(title);
  console.table(
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]: [string, unknown]) => [
          name,
          typeof value === "number" ? rounded(value) : value,
        ]),
      ),
    ),
  );
}
