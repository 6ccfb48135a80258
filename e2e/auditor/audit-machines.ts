import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresCluster, startCluster } from "../../scripts/postgres-cluster.ts";
import { type Cut, cutByProxy } from "../faults/cut-network.ts";
import { type AuditOptions, checkAtRest, comeToRest, untilAcknowledged, type Verdict } from "./audit.ts";
import { writeAuditedProject } from "./audited-project.ts";
import { startClients } from "./clients.ts";
import type { Kill } from "./facts.ts";
import { isHttpProcess } from "./kills.ts";
import { createMachineKiller, type PlannedMachineKill, planMachineKills } from "./machine-kills.ts";
import { type Machine, type Role, startMachines } from "./machines.ts";
import { createMoments, type Moments } from "./moments.ts";
import { createRandom } from "./random.ts";
import { readPostgres } from "./read-postgres.ts";
import { prepareProject } from "./service.ts";
import { openSink, type Sink } from "./sink.ts";
import { createTakeOverWatch, type TakeOverWatch } from "./take-over-watch.ts";

export interface MachinesAuditOptions extends Omit<AuditOptions, "plan" | "atRest" | "workers"> {
  roles: readonly Role[];
  plan?: readonly PlannedMachineKill[];
  /** Maximum duration of a step of an order, ms. */
  stepMs: number;
  takeOverWithinMs: number;
  /** Receives the output of each machine. */
  keep: (outputs: string[]) => void;
}

const defaults: MachinesAuditOptions = {
  seed: 1,
  kills: 50,
  gapMs: 1_200,
  paceMs: 1_200,
  restMs: 180_000,
  changes: [],
  print: () => {},
  keep: () => {},
  takeOverWithinMs: 15_000,
  clients: 10,
  minOrders: 50,
  roles: ["web", "web", "worker", "worker", "worker"],
  stepMs: 400,
  momentMs: 5_000,
  stuckMs: 60_000,
};

/**
 * Several machines on one Postgres under traffic: web on some, workers on others. Machines, their processes, the
 * database and its connections are killed at random moments. Then everything comes to rest, and all recorded facts are
 * checked.
 */
export async function auditMachines(given: Partial<MachinesAuditOptions>): Promise<Verdict> {
  const options = { ...defaults, ...given };
  const folder = mkdtempSync(join(tmpdir(), "signalbox-audit-"));
  const moments = createMoments({ waitMs: options.momentMs });
  const takeOvers = createTakeOverWatch();
  const sink = await openSink((effect) => {
    moments.sawEffect(effect);
    takeOvers.saw(effect);
  });
  // Connections that were open when their network was cut stay at the server until the end.
  const cluster = await startCluster({ settings: ["max_connections=300"] });
  const { port } = cluster;
  const networks = await Promise.all(options.roles.map(() => cutByProxy({ host: "127.0.0.1", port })));
  try {
    await cluster.createDatabase("audited");
    return await conduct(options, { folder, sink, cluster, networks, moments, takeOvers });
  } finally {
    await sink.close();
    for (const network of networks) await network.close();
    await cluster.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Stage {
  folder: string;
  sink: Sink;
  cluster: PostgresCluster;
  /** Worker processes of each machine. */
  networks: readonly Cut[];
  moments: Moments;
  takeOvers: TakeOverWatch;
}

async function conduct(options: MachinesAuditOptions, stage: Stage): Promise<Verdict> {
  const { folder, sink, cluster, moments } = stage;
  const startedAt = performance.now();
  const url = cluster.url("audited");
  const env = { SIGNALBOX_DATABASE_URL: url, SIGNALBOX_SECRET: "of all machines, the same for each" };
  const projectDir = join(folder, "project");
  mkdirSync(projectDir);
  writeAuditedProject(projectDir, 1);
  const { key, token } = prepareProject(projectDir, env);
  const machines = await startMachines({
    projectDir,
    folder,
    roles: options.roles,
    networks: stage.networks,
    databaseBy: ({ port }) => url.replace(`:${cluster.port}/`, `:${port}/`),
    sinkUrl: sink.url,
    env,
    changes: options.changes,
  });
  const random = createRandom(options.seed + 1);
  const urls = machines.filter(({ role }) => role === "web").map((machine) => machine.url);
  const clients = startClients({
    ...options,
    ms: { min: 0, max: options.stepMs },
    url: () => random.pick(urls),
    key,
    token,
    onAcknowledged: moments.sawAcknowledgement,
  });
  const { takeOvers } = stage;
  const killer = createMachineKiller({ machines, cluster, url: cluster.url("postgres"), moments, takeOvers, random });
  const kills: Kill[] = [];
  const reader = readPostgres(url);
  try {
    for (const planned of options.plan ??
      planMachineKills({ random: createRandom(options.seed), kills: options.kills, gapMs: options.gapMs })) {
      let kill = await killer.kill(planned);
      // The target of the kill may not have restarted yet.
      for (let tries = 0; kill === null && tries < 20; tries += 1)
        kill = await killer.kill({ ...planned, afterMs: 1_000 });
      if (kill) kills.push(kill);
      options.print(
        kill
          ? `${kills.length}: ${describe(kill, planned)}, ${clients.orders().length} orders`
          : `there was no ${planned.kind} to kill`,
      );
      assertAlive(machines, kills, options.print);
    }
    await killer.settled();
    await untilAcknowledged(clients, options.minOrders);
    await comeToRest(options, { reader, clients });
    return await checkAtRest({
      reader,
      orders: clients.orders(),
      shipments: clients.shipments(),
      effects: sink.effects,
      kills,
      takeOverWithinMs: options.takeOverWithinMs,
      startedAt,
    });
  } finally {
    for (const machine of machines) await machine.settled().catch(() => {});
    await Promise.all(machines.map((machine) => machine.service().kill()));
    options.keep(machines.map((machine) => machine.output()));
    await clients.finish();
  }
}

function describe(kill: Kill, { moment, awayMs, isUntilTakenOver }: PlannedMachineKill): string {
  const whose = kill.generation < 0 ? "" : ` of start ${kill.generation}`;
  if (isUntilTakenOver) return `${kill.kind}${whose}, until its runs were taken over`;
  const away =
    isHttpProcess(kill.kind) || kill.kind === "worker" || kill.kind === "connection" ? "" : `, away for ${awayMs} ms`;
  return `${kill.kind}${whose} (${moment}${away})`;
}

/** No process may end without a kill. */
function assertAlive(machines: readonly Machine[], kills: readonly Kill[], print: (line: string) => void): void {
  const killed = new Set(
    kills.filter(({ kind }) => kind === "group" || kind === "supervisor").map(({ generation }) => generation),
  );
  const ended = machines
    .map((machine) => machine.service())
    .find((service) => service.hasEnded() && !killed.has(service.generation));
  if (!ended) return;
  print(ended.output());
  throw new Error(`The machine of start ${ended.generation} has ended by itself.`);
}
