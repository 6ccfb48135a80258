import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { askPostgres } from "./ask-postgres.ts";
import { freePort } from "./free-port.ts";
import { findOrInstall } from "./test-tools.ts";

/**
 * A Postgres cluster for the caller, in a temporary folder: every acknowledged commit is on disk, as with the
 * settings that a server comes with.
 */
export interface PostgresCluster {
  /** By TCP; `host` where it is reached by another address than 127.0.0.1. */
  url(database: string, host?: string): string;
  port: number;
  createDatabase(name: string): Promise<void>;
  /** Closes its connections. */
  dropDatabase(name: string): Promise<void>;
  /** As `PostgreSQL 17.2`. */
  version(): Promise<string>;
  /** Of its first process; that of all others is its parent. */
  pid(): number;
  /** Resolves when it takes connections. What was killed recovers first. */
  start(): Promise<void>;
  /** SIGKILL to every process of it, as when its machine loses its power but for what is on the way to the disk. */
  kill(): Promise<void>;
  /** Ends it in order, and removes all. */
  remove(): Promise<void>;
}

export interface ClusterOptions {
  /** Beside the defaults, e.g. `max_connections=200`. */
  settings?: readonly string[];
  /** Addresses to listen on. */
  listen?: string;
  /** The folder of its programs. Default: those of this machine. */
  bin?: string;
}

/** Makes one and starts it. Rejects when there is no Postgres and none can be installed. */
export async function startCluster(options: ClusterOptions = {}): Promise<PostgresCluster> {
  const bin = options.bin ?? findOrInstall("postgres");
  const folder = mkdtempSync(join(tmpdir(), "signalbox-pg-"));
  const owner = ownerOf(folder);
  const data = join(folder, "data");
  createDataFolder({ bin, data, owner });
  const port = await freePort();
  const settings = [`listen_addresses=${options.listen ?? "127.0.0.1"}`, `port=${port}`, ...(options.settings ?? [])];
  if (options.listen)
    execFileSync("sh", ["-c", `echo 'host all all all trust' >> ${join(data, "pg_hba.conf")}`], owner);
  let server: ChildProcess | null = null;
  const killNow = () => killAll(server);
  process.once("exit", killNow);

  async function start(): Promise<void> {
    server = spawn(
      join(bin, "postgres"),
      ["-D", data, "-k", folder, ...settings.flatMap((setting) => ["-c", setting])],
      { ...owner, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
    );
    await untilReady(server);
  }

  async function end(by: () => void): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    by();
    await ended;
    server = null;
  }

  const ask = (text: string) => askPostgres(`postgres://signalbox@127.0.0.1:${port}/postgres`, text);

  await start();
  return {
    url: (database, host = "127.0.0.1") => `postgres://signalbox@${host}:${port}/${database}`,
    port,
    createDatabase: async (name) => void (await ask(`CREATE DATABASE ${name}`)),
    dropDatabase: async (name) => void (await ask(`DROP DATABASE ${name} WITH (FORCE)`)),
    version: async () =>
      `PostgreSQL ${
        z
          .tuple([z.object({ server_version: z.string() })])
          .parse(await ask("SHOW server_version"))[0]
          .server_version.split(" ")[0]
      }`,
    pid: () => server?.pid ?? 0,
    start,
    kill: () => end(killNow),
    async remove() {
      await end(() => server?.kill("SIGINT"));
      process.off("exit", killNow);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The data folders that `initdb` made, by its arguments: a copy takes a tenth of the time. */
const templates = join(import.meta.dirname, "../node_modules/.cache/postgres");

/** Makes a data folder with a superuser `signalbox`, in a folder of the owner's. `options`: more of `initdb`. */
export function createDataFolder(cluster: {
  bin: string;
  data: string;
  owner: { uid?: number; gid?: number };
  options?: readonly string[];
}): void {
  const { bin, data, owner, options } = cluster;
  const args = ["-U", "signalbox", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"];
  args.push(...(options ?? []));
  const template = join(
    templates,
    createHash("sha256")
      .update(JSON.stringify([bin, args, owner]))
      .digest("hex"),
  );
  if (existsSync(template)) {
    execFileSync("cp", ["-a", template, data]);
    return;
  }
  execFileSync(join(bin, "initdb"), ["-D", data, ...args], { ...owner, cwd: dirname(data), stdio: "pipe" });
  if (bin !== findOrInstall("postgres")) return;
  mkdirSync(templates, { recursive: true });
  const copy = `${template}.${process.pid}`;
  execFileSync("cp", ["-a", data, copy]);
  try {
    renameSync(copy, template);
  } catch {
    // Another process was faster.
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Each of its processes leads a session of its own, so that no signal to a group reaches all. */
function killAll(server: ChildProcess | null): void {
  if (!server?.pid || server.exitCode !== null || server.signalCode !== null) return;
  const children = process.platform === "linux" ? childrenOf(server.pid) : [];
  for (const pid of [server.pid, ...children]) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent);
}

function parentOf(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
  } catch {
    return null;
  }
}

/** Postgres does not run as root: as root, start it as its own user. */
export function ownerOf(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid = 0, gid = 0] = ["-u", "-g"].map((which) =>
    Number(execFileSync("id", [which, "postgres"], { encoding: "utf8" })),
  );
  chownSync(folder, uid, gid);
  return { uid, gid };
}

export async function untilReady(server: ChildProcess): Promise<void> {
  if (!server.stderr) throw new Error("Postgres says nothing.");
  const said: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    said.push(line);
    if (/ready to accept (read-only )?connections/.test(line)) {
      // What it says later on is of no interest, but must not fill the pipe.
      server.stderr.resume();
      return;
    }
  }
  throw new Error(`Postgres did not start:\n${said.join("\n")}`);
}
