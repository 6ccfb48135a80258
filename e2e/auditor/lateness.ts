import { rmSync } from "node:fs";
import { type AuditOptions, comeToRest, defaultOptions, checkAtRest, type Verdict } from "./audit.ts";
import type { SourceChange } from "./changed-source.ts";
import { type Clients, startClients } from "./clients.ts";
import type { Kill } from "./facts.ts";
import { createRandom, type Random } from "./random.ts";
import { isLocked, readSqlite } from "./read-sqlite.ts";
import { copyAuditedProject, type Service, startService } from "./service.ts";
import { openSink, type Sink } from "./sink.ts";
import { createTakeOverWatch, type TakeOverWatch } from "./take-over-watch.ts";

/** A lease of four seconds instead of twelve. */
export const shortLease: SourceChange = {
  file: "server/domain/runs/lease.ts",
  find: "leaseMs = 12_000;",
  replace: "leaseMs = 4_000;",
};

/** The same for the interval of its check. The rest of the service is unchanged. */
export const shortLeases: readonly SourceChange[] = [
  shortLease,
  {
    file: "server/processes/receiver/open-run-host.ts",
    find: "reconcileEveryMs = 5_000;",
    replace: "reconcileEveryMs = 1_000;",
  },
];

export interface LatenessOptions extends Pick<AuditOptions, "seed" | "changes" | "print"> {
  /** The number of times that one of the two servers is stopped past its leases. */
  stops: number;
}

/**
 * Two servers on one store. One after the other is stopped with SIGSTOP for longer than its leases last; it wakes when
 * the other is in the middle of its runs.
 */
export async function auditLateness(given: LatenessOptions): Promise<Verdict> {
  const options: AuditOptions & LatenessOptions = {
    ...defaultOptions,
    ...given,
    changes: [...shortLeases, ...given.changes],
    clients: 6,
    paceMs: 600,
    workers: 1,
  };
  const { projectDir, key, token } = copyAuditedProject(options.workers);
  const watch = createTakeOverWatch();
  const sink = await openSink(watch.saw);
  try {
    return await conduct(options, { projectDir, watch, sink, key, token });
  } finally {
    await sink.close();
    rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Stage {
  projectDir: string;
  watch: TakeOverWatch;
  sink: Sink;
  key: string;
  token: string;
}

async function conduct(
  options: AuditOptions & LatenessOptions,
  { projectDir, watch, sink, key, token }: Stage,
): Promise<Verdict> {
  const startedAt = performance.now();
  const random = createRandom(options.seed);
  const kills: Kill[] = [];
  const services: Service[] = [];
  let clients: Clients | null = null;
  try {
    for (const generation of [0, 1])
      services.push(
        await startService({ projectDir, port: 0, sinkUrl: sink.url, generation, changes: options.changes }),
      );
    clients = startClients({
      ...options,
      ms: { min: 300, max: 1_200 },
      url: () => random.pick(services).url,
      key,
      token,
      onAcknowledged() {},
    });
    for (let n = 0; n < options.stops; n += 1) {
      const late = services[n % 2];
      if (!late) break;
      await beLate(late, { random, watch, kills, projectDir });
      options.print(
        `server ${late.generation} was stopped, and woke when ${watch.takenOver()} of its runs were in other hands`,
      );
    }
    const reader = readSqlite(projectDir);
    await comeToRest(options, { reader, clients });
    const [orders, shipments] = [clients.orders(), clients.shipments()];
    return await checkAtRest({ reader, orders, shipments, effects: sink.effects, kills, startedAt });
  } finally {
    await Promise.all(services.map((service) => service.kill()));
    await clients?.finish();
  }
}

async function beLate(
  late: Service,
  p: { random: Random; watch: TakeOverWatch; kills: Kill[]; projectDir: string },
): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, p.random.between(1_000, 2_500)));
  const stop = { at: 0, kind: "stop" as const, generation: late.generation, pid: null };
  for (;;) {
    await p.watch.nextEffectOf(late.generation);
    stop.at = performance.now();
    late.signalGroup("SIGSTOP");
    if (!isLocked(p.projectDir)) break;
    // While it has the lock of the store, no other process could take over.
    late.signalGroup("SIGCONT");
  }
  p.kills.push(stop);
  await p.watch.untilTakenOver(late.generation);
  late.signalGroup("SIGCONT");
}
