import { rmSync } from "node:fs";
import type { OrderKind } from "./audited-project.ts";
import { blockWorker } from "./blocked-worker.ts";
import type { SourceChange } from "./changed-source.ts";
import { type Clients, startClients } from "./clients.ts";
import { type Facts, isAcknowledged, type Kill } from "./facts.ts";
import { createKiller, type Killer, type PlannedKill, planKills } from "./kills.ts";
import { createRandom } from "./random.ts";
import { readSqlite } from "./read-sqlite.ts";
import { checkFacts, listTakeOvers, type Violation } from "./rules.ts";
import { copyAuditedProject, type Service, startService } from "./service.ts";
import type { StoreReader } from "./store-reader.ts";
import { openSink, type Sink } from "./sink.ts";

export interface AuditOptions {
  seed: number;
  kills: number;
  /** Maximum pause between two kills, ms. */
  gapMs: number;
  clients: number;
  /** The kinds of orders. Default: all. */
  kinds?: readonly OrderKind[];
  /** Maximum pause of a client between two orders, ms. */
  paceMs: number;
  workers: number;
  /** Traffic continues until this number of orders is acknowledged, regardless of the speed of the kills. */
  minOrders: number;
  /** Maximum wait for a planned moment, ms. Then the kill happens anyway. */
  momentMs: number;
  /** Runs without any progress for this time count as stuck, ms. */
  stuckMs: number;
  /** The same for runs that never end, ms. */
  restMs: number;
  /** The changes of the product: a mutant. */
  changes: readonly SourceChange[];
  /** Replaces the plan of the seed. */
  plan?: readonly PlannedKill[];
  print: (line: string) => void;
  /** Before there are other orders, code blocks a worker. */
  blocksWorker?: boolean;
  /** Checks the killed processes while the service is idle and still runs. */
  atRest?: (kills: readonly Kill[]) => Promise<void>;
}

export const defaultOptions: AuditOptions = {
  seed: 1,
  kills: 24,
  gapMs: 1_200,
  clients: 16,
  paceMs: 1_200,
  workers: 2,
  minOrders: 50,
  momentMs: 5_000,
  stuckMs: 40_000,
  restMs: 180_000,
  changes: [],
  print: () => {},
};

export interface Verdict {
  violations: Violation[];
  facts: Facts;
  /** A summary in one line. */
  summary: string;
}

/** Runs the service under traffic and kills, lets it come to rest, and checks all recorded facts. */
export async function audit(given: Partial<AuditOptions>): Promise<Verdict> {
  const options = { ...defaultOptions, ...given };
  const { projectDir, ...secrets } = copyAuditedProject(options.workers);
  const killer = createKiller(createRandom(options.seed + 1), options);
  const sink = await openSink(killer.sawEffect);
  try {
    return await conduct(options, { projectDir, killer, sink, ...secrets });
  } finally {
    await sink.close();
    rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Stage {
  projectDir: string;
  killer: Killer;
  sink: Sink;
  key: string;
  token: string;
}

const backWithinMs = 180_000;

/** A process that was just killed may not have restarted yet: the plan waits for it. */
async function killInTurn(killer: Killer, service: Service, planned: PlannedKill): Promise<Kill> {
  for (const giveUpAt = performance.now() + backWithinMs; ;) {
    const kill = await killer.kill(service, planned);
    if (kill) return kill;
    if (service.hasEnded()) throw new Error(`The service has ended by itself:\n${service.output()}`);
    if (performance.now() > giveUpAt)
      throw new Error(`There was no ${planned.kind} to kill for ${backWithinMs / 1000} s:\n${service.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function conduct(options: AuditOptions, { projectDir, killer, sink, key, token }: Stage): Promise<Verdict> {
  const startedAt = performance.now();
  const kills: Kill[] = [];
  const starts: number[] = [];
  let generation = 0;
  let service: Service;
  async function start(port: number): Promise<Service> {
    const { changes } = options;
    const started = await startService({ projectDir, port, sinkUrl: sink.url, generation: generation++, changes });
    starts.push(performance.now());
    return started;
  }
  service = await start(0);
  const { url } = service;
  const blocked = options.blocksWorker ? await blockWorker({ projectDir, service, key }) : null;
  if (blocked) kills.push(blocked.kill);
  const clients = startClients({
    ...options,
    ms: { min: 0, max: 60 },
    url: () => url,
    key,
    token,
    onAcknowledged: killer.sawAcknowledgement,
  });
  try {
    for (const planned of options.plan ??
      planKills({ random: createRandom(options.seed), kills: options.kills, gapMs: options.gapMs })) {
      const kill = await killInTurn(killer, service, planned);
      kills.push(kill);
      options.print(`${kills.length}: ${kill.kind} (${planned.moment}), ${clients.orders().length} orders`);
      const isMeant = kill.kind === "group" || kill.kind === "supervisor";
      if (service.hasEnded() || isMeant) {
        await service.exited;
        if (kill.kind === "supervisor") kill.outlivedBy = await service.untilLeft();
        if (!isMeant) throw new Error(`The service has ended by itself:\n${service.output()}`);
        service = await start(Number(new URL(url).port));
      }
    }
    await untilAcknowledged(clients, options.minOrders);
    const reader = readSqlite(projectDir);
    await comeToRest(options, { reader, clients });
    await options.atRest?.(kills);
    const orders = [...(blocked ? [blocked.order] : []), ...clients.orders()];
    const shipments = clients.shipments();
    return await checkAtRest({ reader, orders, shipments, effects: sink.effects, kills, starts, startedAt });
  } finally {
    await service.kill();
    await clients.finish();
  }
}

const acknowledgedWithinMs = 180_000;

/** Traffic continues until this number of orders has been acknowledged. */
export async function untilAcknowledged(clients: Clients, count: number): Promise<void> {
  const giveUpAt = performance.now() + acknowledgedWithinMs;
  while (clients.orders().filter(isAcknowledged).length < count && performance.now() < giveUpAt)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Reads the store, and checks all recorded facts. */
export async function checkAtRest(
  p: Omit<Facts, "runs" | "families" | "endedAt"> & { reader: StoreReader; startedAt: number },
): Promise<Verdict> {
  const { reader, startedAt, ...written } = p;
  const facts = {
    ...written,
    runs: await reader.runs(),
    families: await reader.families(),
    endedAt: performance.now(),
    handBacks: (await reader.handBacks?.()) ?? [],
  };
  const integrity = await reader.integrity();
  const violations = [
    ...checkFacts(facts),
    ...(integrity === "ok" ? [] : [{ rule: "the store stays whole", what: integrity }]),
  ];
  return { violations, facts, summary: summarize(facts, performance.now() - startedAt) };
}

/** Stops new orders. Waits until every request is answered and every run has ended, or until there is no progress. */
export async function comeToRest(
  { stuckMs, restMs, print }: Pick<AuditOptions, "stuckMs" | "restMs" | "print">,
  p: { reader: StoreReader; clients: Clients },
): Promise<void> {
  await p.clients.finish();
  let last = { open: -1, mark: "" };
  const giveUpAt = performance.now() + restMs;
  for (
    let movedAt = performance.now();
    performance.now() < Math.min(giveUpAt, movedAt + stuckMs);
    await new Promise((resolve) => setTimeout(resolve, 200))
  ) {
    const now = await p.reader.progress();
    if (now.open === 0) return;
    if (now.mark !== last.mark) movedAt = performance.now();
    last = now;
  }
  print(`${last.open} runs do not end`);
}

function summarize(facts: Facts, tookMs: number): string {
  const { orders, shipments = [], runs, families, effects, kills } = facts;
  const slowest = Math.max(0, ...listTakeOvers(facts).map(({ ms }) => ms));
  const answers = orders.flatMap(({ answers }) => answers).filter(({ status }) => status === 202).length;
  const by = [...Map.groupBy(kills, ({ kind }) => kind)].map(([kind, some]) => `${kind} ${some.length}`);
  const begun = effects.filter(({ phase }) => phase === "begin");
  const repeated = begun.length - new Set(begun.map(({ runId, step }) => `${runId} ${step}`)).size;
  return `${kills.length} kills (${by.join(", ")}), ${orders.length} orders, ${answers} times 202, ${runs.length} runs, ${shipments.length} shipments, ${runs.filter((run) => run.shipmentId).length} runs with one, ${families?.children.length ?? 0} child runs of ${families?.parents.length ?? 0}, ${begun.length} steps begun, ${repeated} of them again; ${slowest > 0 ? `the slowest take-over took ${(slowest / 1000).toFixed(1)} s; ` : ""}${(tookMs / 1000).toFixed(1)} s`;
}
