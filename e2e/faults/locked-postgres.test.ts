import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { startCluster } from "../../scripts/postgres-cluster.ts";
import { query } from "../auditor/read-postgres.ts";
import { preparePlatform, startMachine } from "./cut-machine.ts";

const lockedMs = 12_000;
/** The limit of a response, and a margin for machines that pause for some seconds. */
const answeredWithinMs = 10_000 + 5_000;

interface Sent {
  n: number;
  /** 0: no response. */
  status: number;
  retryAfter: string | null;
  ms: number;
}

/** Sends one webhook without an idempotency key; never rejects. The client gives up after `patienceMs`. */
function send(p: { url: string; key: string; n: number; patienceMs?: number }): Promise<Sent> {
  const body = JSON.stringify({ n: p.n, isLong: false });
  const headers = { "content-type": "application/json", "content-length": body.length, "x-api-key": p.key };
  const since = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, retryAfter: string | null) =>
      resolve({ n: p.n, status, retryAfter, ms: performance.now() - since });
    const sent = request(`${p.url}/triggers/walks`, { method: "POST", headers, agent: false }, (response) => {
      response.resume();
      response.on("close", () => end(response.statusCode ?? 0, response.headers["retry-after"] ?? null));
    });
    sent.on("error", () => end(0, null));
    sent.end(body);
    if (p.patienceMs !== undefined) setTimeout(() => sent.destroy(), p.patienceMs);
  });
}

const runsOf = z.array(z.object({ n: z.coerce.number(), runs: z.coerce.number() }));

/** How many runs each webhook has started. */
async function countRuns(url: string): Promise<Map<number, number>> {
  const rows = await query(url, "SELECT (payload::json ->> 'n') AS n, count(*) AS runs FROM run GROUP BY 1");
  return new Map(runsOf.parse(rows).map(({ n, runs }) => [n, runs]));
}

describe("a table of Postgres that another program has locked", () => {
  it("for 12 s: every webhook is answered within 10 s, a 202 has one run, and a 503 or an abandoned request has none", async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster.remove());
    await cluster.createDatabase("locked");
    const url = cluster.url("locked");
    const platform = preparePlatform(url);
    const machine = await startMachine(platform, { name: "web", role: "web", database: url });
    const to = { url: machine.url, key: platform.key };
    expect((await send({ ...to, n: 0 })).status).toBe(202);

    const other = new Client(url);
    onTestFinished(() => other.end());
    await other.connect();
    await other.query("BEGIN; LOCK TABLE signalbox.run IN ACCESS EXCLUSIVE MODE");
    const lockedAt = performance.now();
    // In the first write, which began alone, and in the one that waits for it.
    const first = send({ ...to, n: 1 });
    await pause(500);
    const abandoned = Array.from({ length: 20 }, (_, at) => send({ ...to, n: 1_000 + at, patienceMs: 2_000 }));
    const waiting: Promise<Sent>[] = [first];
    for (let n = 2; performance.now() - lockedAt < lockedMs; n += 5) {
      for (let more = 0; more < 5; more += 1) waiting.push(send({ ...to, n: n + more }));
      await pause(250);
    }
    await other.query("ROLLBACK");
    const answers = await Promise.all(waiting);
    expect((await Promise.all(abandoned)).filter(({ status }) => status !== 0)).toEqual([]);
    await vi.waitFor(async () => expect((await send({ ...to, n: 5_000 })).status).toBe(202));

    const runs = await countRuns(url);
    expect(answers.filter(({ status }) => status !== 202 && status !== 503)).toEqual([]);
    expect(answers.filter(({ n, status }) => (runs.get(n) ?? 0) !== (status === 202 ? 1 : 0))).toEqual([]);
    expect([...runs].filter(([n, count]) => count > 1 || (n >= 1_000 && n < 5_000))).toEqual([]);
    expect(answers.filter(({ ms }) => ms > answeredWithinMs)).toEqual([]);
    const rejected = answers.filter(({ status }) => status === 503);
    expect(rejected.filter(({ retryAfter }) => !(Number(retryAfter) > 0))).toEqual([]);
    expect(rejected.length).toBeGreaterThan(50);
    // None of them is written later.
    await pause(3_000);
    expect((await countRuns(url)).size).toBe(new Set([...runs.keys(), 5_000]).size);
  });
});
