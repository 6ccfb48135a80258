import { cpSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../scripts/free-port.ts";
import type { Cut } from "../faults/cut-network.ts";
import type { SourceChange } from "./changed-source.ts";
import { type Service, startService } from "./service.ts";

export type Role = "web" | "worker";

/** A machine of the audited platform, over all its processes. */
export interface Machine {
  readonly role: Role;
  /** Stays the same over all its starts. */
  readonly url: string;
  /** The proxy between it and the database. */
  readonly network: Cut;
  /** The processes that run on it. For a stopped one, those that ran last. */
  service(): Service;
  isUp(): boolean;
  /** The output of all its starts. */
  output(): string;
  /** Starts it again after a while. Retries while the database is unavailable, like a service manager. */
  returnIn(ms: number): void;
  /** Resolves when it has restarted, if a restart is planned. */
  settled(): Promise<void>;
}

export interface MachinesOptions {
  /** A project that was built. Each machine has a copy of its own. */
  projectDir: string;
  folder: string;
  roles: readonly Role[];
  /** Worker processes of each machine. */
  networks: readonly Cut[];
  databaseBy: (network: Cut) => string;
  sinkUrl: string;
  env: NodeJS.ProcessEnv;
  changes: readonly SourceChange[];
}

const giveUpAfterMs = 60_000;

/** Every start of a machine has a unique number, its generation. */
export async function startMachines(p: MachinesOptions): Promise<Machine[]> {
  let generations = 0;
  const starting = p.roles.map(async (role, at): Promise<Machine> => {
    const network = p.networks[at];
    if (!network) throw new Error(`Machine ${at} has no network.`);
    const projectDir = join(p.folder, `machine-${at}`);
    cpSync(p.projectDir, projectDir, { recursive: true, verbatimSymlinks: true });
    const port = await freePort();
    const machine = { role, name: `audited-${at}` };
    const changes = p.changes.filter(({ file }) => isLoadedBy(role, file));
    const env = { ...p.env, SIGNALBOX_DATABASE_URL: p.databaseBy(network) };
    const start = () =>
      startService({ projectDir, port, sinkUrl: p.sinkUrl, generation: generations++, changes, env, machine });
    let service = await start();
    const services = [service];
    let returning: Promise<void> | null = null;

    async function comeBack(ms: number): Promise<void> {
      await new Promise((resolve) => setTimeout(resolve, ms));
      for (const giveUpAt = performance.now() + giveUpAfterMs; ;) {
        try {
          service = await start();
          services.push(service);
          return;
        } catch (error) {
          if (performance.now() > giveUpAt) throw error;
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
      }
    }

    return {
      role,
      network,
      url: service.url,
      service: () => service,
      output: () => services.map((one) => one.output()).join("\n"),
      isUp: () => returning === null && !service.hasEnded(),
      returnIn(ms) {
        const coming = comeBack(ms).finally(() => (returning = null));
        // Checked when everything should be idle.
        coming.catch(() => {});
        returning = coming;
      },
      async settled() {
        await returning;
      },
    };
  });
  return await Promise.all(starting);
}

/** A mutant of code that only one kind of process loads. */
function isLoadedBy(role: Role, file: string): boolean {
  if (file.startsWith("server/ingest/")) return role === "web";
  return role === "worker" || file.startsWith("server/store/") || file.startsWith("server/domain/");
}
