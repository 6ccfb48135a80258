import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { askPostgres } from "../../../scripts/ask-postgres.ts";
import { silentLogger } from "../../ports/logger.ts";
import { reportOutages } from "../shared/report-outages.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { openPostgresStore } from "./open-store.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** The processes of the connections to the database, and the one that accepts new ones. */
async function processesOf(url: string): Promise<number[]> {
  const connections = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()";
  const backends = (await askPostgres<{ pid: number }>(url, connections)).map(({ pid }) => pid);
  const parents = backends.flatMap((pid) => {
    try {
      return [Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])];
    } catch {
      // The connection that asked is closed.
      return [];
    }
  });
  return [...new Set([...backends, ...parents])];
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch {
      // The connection that asked is closed.
    }
}

it("a server that stops responding is reported after seconds, before its statements time out, and when it responds again", async () => {
  const lines: string[] = [];
  const write = (message: string, fields?: Record<string, unknown>) =>
    void lines.push(`${message} ${String(fields?.["waitingFor"] ?? "")}`.trim());
  const url = await server.createDatabase();
  const store = reportOutages(await openPostgresStore({ url }), { ...silentLogger, info: write, warn: write });
  await store.listKeys();
  const pids = await processesOf(url);
  onTestFinished(async () => {
    signal(pids, "SIGCONT");
    await store.close();
  });
  signal(pids, "SIGSTOP");
  const waiting = store.listKeys();
  await vi.waitFor(() => expect(lines).toEqual(["store does not respond read"]), { interval: 100 });
  expect(store.stall?.()).toMatchObject({ waitingFor: "read", ms: expect.any(Number) });
  signal(pids, "SIGCONT");
  await waiting;
  expect(lines).toEqual(["store does not respond read", "store responds again"]);
  expect(store.stall?.()).toBeNull();
});
