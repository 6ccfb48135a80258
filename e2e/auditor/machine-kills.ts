import type { PostgresCluster } from "../../scripts/postgres-cluster.ts";
import type { Kill } from "./facts.ts";
import { isHttpProcess, pidsOf } from "./kills.ts";
import type { Machine } from "./machines.ts";
import type { Moment, Moments } from "./moments.ts";
import { isRunning } from "./processes.ts";
import type { Random } from "./random.ts";
import type { TakeOverWatch } from "./take-over-watch.ts";
import { query } from "./read-postgres.ts";

export interface PlannedMachineKill {
  /** `group`: all processes of a machine. `stop`: all of them get SIGSTOP, and later SIGCONT. */
  kind: Kill["kind"];
  /** The machines from which to choose. Default: any. */
  role?: Machine["role"];
  moment: Moment;
  afterMs: number;
  /** The downtime after the kill. */
  awayMs: number;
  /**
   * For `stop`: stops the machine during its runs, and continues it when other machines execute them. `moment` and
   * `awayMs` are not used.
   */
  isUntilTakenOver?: boolean;
}

/** Longer than the leases of a lost machine: others must take over its runs before it returns. */
const pastLeaseMs = 17_000;

/** The same seed gives the same plan. Its effects depend on timing. */
export function planMachineKills(p: { random: Random; kills: number; gapMs: number }): PlannedMachineKill[] {
  const { random } = p;
  return Array.from({ length: p.kills }, (): PlannedMachineKill => {
    const kind = random.pick([
      "group",
      "group",
      "group",
      "supervisor",
      "receiver",
      "web",
      "worker",
      "worker",
      "worker",
      "stop",
      "postgres",
      "postgres",
      "postgres",
      "connection",
      "connection",
      "connection",
      "network",
      "network",
    ] as const);
    const moment = random.pick<Moment>(
      kind === "web" ? ["any", "acknowledged"] : ["any", "acknowledged", "step_begun", "step_done"],
    );
    const isLong =
      kind === "stop" ||
      (kind === "postgres" ? random.chance(0.15) : (kind === "group" || kind === "network") && random.chance(0.4));
    return {
      kind,
      moment,
      afterMs: random.between(0, p.gapMs),
      awayMs: isLong ? pastLeaseMs : random.between(100, 2_500),
    };
  });
}

export interface MachineKiller {
  /** Kills as planned. Returns the kill, or `null` if there was no such process. */
  kill(planned: PlannedMachineKill): Promise<Kill | null>;
  /** Resolves when all killed machines have restarted. */
  settled(): Promise<void>;
}

export function createMachineKiller(p: {
  machines: readonly Machine[];
  cluster: PostgresCluster;
  url: string;
  moments: Moments;
  takeOvers: TakeOverWatch;
  random: Random;
}): MachineKiller {
  const { machines, cluster, moments, random } = p;
  const stopped = new Set<Machine>();
  const waking: Promise<void>[] = [];

  /** A running machine, but never the last worker, because nothing would be left to audit. */
  function pickMachine(kind: Kill["kind"], role: Machine["role"] | undefined): Machine | null {
    const up = machines.filter((machine) => machine.isUp() && !stopped.has(machine));
    const workers = up.filter((machine) => machine.role === "worker");
    const isOfRole = (machine: Machine) =>
      isHttpProcess(kind)
        ? machine.role === "web"
        : kind === "worker" || kind === "stop"
          ? machine.role === "worker"
          : role === undefined || machine.role === role;
    const found = up.filter(
      (machine) =>
        isOfRole(machine) && (isHttpProcess(kind) || kind === "worker" || machine.role === "web" || workers.length > 1),
    );
    return found.length > 0 ? random.pick(found) : null;
  }

  async function killDatabase({ moment, awayMs }: PlannedMachineKill): Promise<Kill> {
    const killed = await moments.at(moment, () => ({ at: performance.now(), gone: cluster.kill() }));
    await killed.gone;
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    await cluster.start();
    return { at: killed.at, kind: "postgres", generation: -1, pid: null, backAt: performance.now() };
  }

  /** Some of its connections, or all. */
  async function cutConnections({ moment }: PlannedMachineKill): Promise<Kill> {
    const some = random.pick([1, 1, 2, 3, 1_000]);
    const text = `SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'signalbox%' ORDER BY random() LIMIT ${some}) AS a`;
    const cut = await moments.at(moment, () => ({ at: performance.now(), done: query(p.url, text) }));
    await cut.done;
    return { at: cut.at, kind: "connection", generation: -1, pid: null };
  }

  /** Its processes continue without the database. */
  async function cutNetwork(planned: PlannedMachineKill): Promise<Kill | null> {
    const machine = pickMachine(planned.kind, planned.role);
    if (!machine) return null;
    const { generation } = machine.service();
    const kill = await moments.at(planned.moment, (): Kill => {
      machine.network.cut();
      return { at: performance.now(), kind: "network", generation, pid: null };
    });
    stopped.add(machine);
    const heal = async () => {
      await new Promise((resolve) => setTimeout(resolve, planned.awayMs));
      machine.network.heal();
      stopped.delete(machine);
      kill.backAt = performance.now();
    };
    waking.push(heal());
    return kill;
  }

  async function stopUntilTakenOver({ kind, role }: PlannedMachineKill): Promise<Kill | null> {
    const machine = pickMachine(kind, role);
    if (!machine) return null;
    const service = machine.service();
    const { generation } = service;
    await p.takeOvers.nextEffectOf(generation);
    const at = performance.now();
    service.signalGroup("SIGSTOP");
    await p.takeOvers.untilTakenOver(generation);
    service.signalGroup("SIGCONT");
    return { at, kind: "stop", generation, pid: null };
  }

  function wakeLater(machine: Machine, ms: number): void {
    stopped.add(machine);
    const service = machine.service();
    const wake = async () => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      service.signalGroup("SIGCONT");
      stopped.delete(machine);
    };
    waking.push(wake());
  }

  async function killMachine(planned: PlannedMachineKill): Promise<Kill | null> {
    const { kind, moment, awayMs } = planned;
    const machine = pickMachine(kind, planned.role);
    if (!machine) return null;
    const service = machine.service();
    const { generation } = service;
    // Found in advance, because at the moment itself there is no time.
    const pids = pidsOf(service, kind);
    const victim = pids.length > 0 ? random.pick(pids) : null;
    const kill = await moments.at(moment, (effect): Kill | null => {
      if (service.hasEnded()) return null;
      const at = performance.now();
      if (isHttpProcess(kind) || kind === "worker") {
        const pid = kind === "worker" && effect?.generation === generation ? effect.pid : victim;
        if (pid === null || !isRunning(pid)) return null;
        process.kill(pid, "SIGKILL");
        return { at, kind, generation, pid };
      }
      if (kind === "group") service.signalGroup("SIGKILL");
      else if (kind === "stop") service.signalGroup("SIGSTOP");
      else process.kill(service.pid, "SIGKILL");
      return { at, kind, generation, pid: null };
    });
    if (kill?.kind === "stop") wakeLater(machine, awayMs);
    if (kill?.kind === "group" || kill?.kind === "supervisor") {
      await service.exited;
      if (kind === "supervisor") kill.outlivedBy = await service.untilLeft();
      machine.returnIn(awayMs);
    }
    return kill;
  }

  return {
    async kill(planned) {
      await new Promise((resolve) => setTimeout(resolve, planned.afterMs));
      if (planned.kind === "postgres") return killDatabase(planned);
      if (planned.kind === "connection") return cutConnections(planned);
      if (planned.kind === "network") return cutNetwork(planned);
      if (planned.isUntilTakenOver) return stopUntilTakenOver(planned);
      return killMachine(planned);
    },
    async settled() {
      await Promise.all(waking);
      for (const machine of machines) await machine.settled();
    },
  };
}
