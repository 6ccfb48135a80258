import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { ownerOf } from "../../../scripts/postgres-cluster.ts";
import { findOrInstall } from "../../../scripts/test-tools.ts";

/** PgBouncer in transaction mode, with its default settings, before a server that listens in the same folder. */
export interface Pooler {
  /** The URL of a database by way of the pooler. */
  urlOf(directUrl: string): string;
  stop(): Promise<void>;
}

const port = 6432;

/** It has so few connections to the server that clients share them. */
export async function startPooler(folder: string): Promise<Pooler> {
  const own = join(folder, "pooler");
  mkdirSync(own);
  const owner = ownerOf(own);
  const config = join(own, "pgbouncer.ini");
  writeFileSync(
    config,
    `[databases]
* = host=${folder} user=signalbox
[pgbouncer]
pool_mode = transaction
default_pool_size = 3
listen_port = ${port}
unix_socket_dir = ${own}
auth_type = any
`,
  );
  const process = spawn(findOrInstall("pgbouncer"), [config], { ...owner, cwd: own, stdio: "ignore" });
  const urlOf = (directUrl: string) =>
    directUrl.replace(encodeURIComponent(folder), `${encodeURIComponent(own)}&port=${port}`);
  await untilReady(urlOf(`postgres:///postgres?host=${encodeURIComponent(folder)}&user=signalbox`));
  return {
    urlOf,
    async stop() {
      const ended = once(process, "exit");
      process.kill("SIGKILL");
      await ended;
    },
  };
}

async function untilReady(url: string): Promise<void> {
  for (const giveUpAt = performance.now() + 20_000; ; await delay(50)) {
    const client = new Client(url);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
    }
  }
}
