import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { pushBody, smallBody } from "../load/bodies.ts";
import type { Load } from "../load/run-load.ts";
import { startLoadClient } from "../load/start-client.ts";
import { count, milliseconds, ratio } from "../report/format.ts";
import { atMost } from "../report/goal.ts";
import { median, percentile, ratioByRounds } from "../report/statistics.ts";
import { endpoints } from "../service/bench-project.ts";
import { untilAtRest } from "../service/process-tree.ts";
import { runSignalbox, type Service, startSignalbox } from "../service/signalbox-service.ts";
import { openSqliteReader, type SqliteReader, storeFileOf } from "../service/store-reader.ts";
import { byTurns } from "../measure/by-turns.ts";
import type { Bench } from "../measure/bench.ts";
import { connections } from "../measure/execute-stage.ts";
import { executeTurn } from "../measure/execute-turn.ts";
import type { Row } from "../measure/row.ts";

const webhooksPerSecond = 100;
const goal = 3;
/** The time that a flood has to build up before the first webhook. */
const headStartMs = 500;
/** In 4 kB. */
const repeatedHeaders = 985;
/** On one connection, many more than may wait. */
const unreadRequests = 150;
/** A service may reject the requests of a flood, or close its connections (0). 503: too many of them are in progress. */
const rejections = [0, 408, 429, 503];

interface Flood {
  /** What happens meanwhile. */
  work: string;
  loads: Load[];
  /** Of a response to what the flood asks for. Rejections are expected as well. */
  status: number;
}

interface Turn {
  p99: number;
  /** Of the flood. */
  responses: number;
  megabytes: number;
  seconds: number;
}

/**
 * The wait of webhooks while clients flood the rest of the service: the API, the pages, sign-in, exports, clients
 * without a key, and all of them together. The floods run in a separate process.
 */
export async function measureFloods(bench: Bench): Promise<Row[]> {
  const folder = bench.makeProject({ workers: 1 });
  // Sign-ins are limited by client address: the flood of them comes through a proxy, from many addresses.
  const env = { SIGNALBOX_TRUST_PROXY: "127.0.0.1" };
  const service = await startSignalbox({ folder, nodeOptions: bench.nodeOptions, env });
  const store = openSqliteReader(storeFileOf(folder));
  const flooder = startLoadClient({ share: "last" });
  let accepted = 0;
  const turnOf = (floods: readonly Flood[]) => async (): Promise<Turn> => {
    const began = performance.now();
    const running = floods.map(({ loads, status }) => flooder.flood(loads, [status, ...rejections]));
    if (running.length > 0) await delay(headStartMs);
    const url = service.urlOf(endpoints.executed);
    const load = { url, bodies: smallBody().bodies, connections, ms: bench.turnMs, perSecond: webhooksPerSecond };
    const { latencies, statuses } = await bench.client.post(load, 202);
    accepted += statuses[202] ?? 0;
    const results = (await Promise.all(running.map(({ stop }) => stop()))).flat();
    const seconds = (performance.now() - began) / 1000;
    await untilAtRest(service.child.pid);
    const responses = results.reduce((sum, one) => sum + one.latencies.length, 0);
    const megabytes = results.reduce((sum, { bytes }) => sum + bytes / 1e6, 0);
    return { p99: percentile(latencies, 0.99), responses, megabytes, seconds };
  };
  try {
    await fill(bench, service, store);
    const floods = await planFloods(service);
    for (const { loads, status } of floods)
      // What the service loads on first use is not part of a flood.
      for (const load of loads.filter(({ unread }) => unread === undefined))
        await flooder.post({ ...load, connections: 1, count: 1 }, status);
    const all = { work: "all of these clients are active", turn: turnOf(floods) };
    if (bench.profile) {
      await bench.profile(service, all.turn);
      return [];
    }
    const sides = [...floods.map((flood) => ({ work: flood.work, turn: turnOf([flood]) })), all];
    const { calm = [], ...flooded } = await byTurns<string, Turn>(
      { calm: turnOf([]), ...Object.fromEntries(sides.map(({ work, turn }) => [work, turn])) },
      bench.rounds,
    );
    const stored = await store.accepted(endpoints.executed);
    if (stored !== accepted)
      throw new Error(`${accepted} deliveries were answered 202, and ${stored} are in the store`);
    bench.note(`The client of the floods used ${flooder.highestCpu().toFixed(2)} of one core at most.`);
    return Object.entries(flooded).map(([work, turns]) => toRow(work, turns, calm));
  } finally {
    flooder.close();
    await store.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs with 7.7 kB each, for the exports and the lists: eight exports of them take several seconds. */
async function fill(bench: Bench, service: Service, store: SqliteReader): Promise<void> {
  const url = service.urlOf(endpoints.executedWhole);
  const load = { url, bodies: pushBody().bodies, connections, count: 1_000 };
  await executeTurn(
    () => bench.client.post(load, 202),
    () => !store.hasAnyOpen(),
  );
}

/** Requests with credentials are not limited in number; the service has only limits for sign-ins and exports. */
async function planFloods({ origin, folder }: Service): Promise<Flood[]> {
  const [token, other] = [createToken(folder, "flood"), createToken(folder, "flood-2")];
  const cookie = { Cookie: await signIn(origin, token) };
  const get = (path: string, headers: Record<string, string>, atOnce: number): Load => ({
    method: "GET",
    url: `${origin}${path}`,
    headers,
    connections: atOnce,
    reconnects: true,
  });
  return [
    {
      work: "200 clients of the API read its OpenAPI document",
      loads: [get("/api/v1/openapi.json", bearerOf(token), 200)],
      status: 200,
    },
    {
      work: "100 signed-in browsers load pages (runs, deliveries)",
      loads: [get("/runs", cookie, 50), get("/deliveries", cookie, 50)],
      status: 200,
    },
    {
      work: "200 clients at once sign in with wrong passwords",
      loads: [
        {
          url: `${origin}/api/auth/sign-in`,
          headers: { Origin: origin, "X-Forwarded-For": "{address}" },
          bodies: [Buffer.from('{"email":"eve{n}@example.com","password":"a guess of many characters"}')],
          connections: 200,
          reconnects: true,
        },
      ],
      status: 401,
    },
    {
      work: "eight clients at once export all runs",
      // A token may have four in progress.
      loads: [token, other].map((secret) => get("/api/v1/runs/export?format=jsonl", bearerOf(secret), 4)),
      status: 200,
    },
    ...planAnonymousFloods(origin),
  ];
}

/** Attacks by clients without a key, each from many addresses. */
function planAnonymousFloods(origin: string): Flood[] {
  const anonymous = { headers: { "X-Forwarded-For": "{address}" }, connections: 200, reconnects: true };
  return [
    {
      work: `200 clients without a key send webhooks with ${repeatedHeaders} repeated headers`,
      loads: [
        {
          ...anonymous,
          url: `${origin}/triggers/${endpoints.executed}`,
          bodies: smallBody().bodies,
          lines: "a:\r\n".repeat(repeatedHeaders),
        },
      ],
      status: 401,
    },
    {
      work: "200 clients send a Host header that is no host",
      loads: [
        {
          ...anonymous,
          method: "GET",
          url: `${origin}/`,
          headers: { ...anonymous.headers, Host: "1.2.3.4.5.6" },
        },
      ],
      status: 400,
    },
    {
      work: `200 clients request the OpenAPI document ${unreadRequests} times at once and read nothing`,
      loads: [{ ...anonymous, method: "GET", url: `${origin}/api/v1/openapi.json`, unread: unreadRequests }],
      status: 0,
    },
  ];
}

function bearerOf(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

function createToken(folder: string, name: string): string {
  const printed = runSignalbox(folder, ["keys", "create", "--api", "--scope", "admin", "--name", name, "--json"]);
  return (JSON.parse(printed) as { secret: string }).secret;
}

/** Returns the cookie of a browser that signed in with an API token. */
async function signIn(origin: string, token: string): Promise<string> {
  const response = await fetch(`${origin}/api/auth/token`, {
    method: "POST",
    redirect: "manual",
    headers: { origin },
    body: new URLSearchParams({ token }),
  });
  return response.headers
    .getSetCookie()
    .map((set) => set.split(";", 1)[0])
    .join("; ");
}

function toRow(work: string, flooded: readonly Turn[], calm: readonly Turn[]): Row {
  const waits = (turns: readonly Turn[]) => turns.map(({ p99 }) => p99);
  const toCalm = ratioByRounds(waits(flooded), waits(calm));
  const rate = (of: (turn: Turn) => number) => median(flooded.map((turn) => of(turn) / turn.seconds));
  return {
    work: `${smallBody().name}, ${webhooksPerSecond} a second, while ${work} (${count(rate(({ responses }) => responses))} responses/s, ${count(rate(({ megabytes }) => megabytes))} MB/s)`,
    measure: "ms from due to 202, p99",
    ours: milliseconds(median(waits(flooded))),
    other: `Signalbox without the flood: ${milliseconds(median(waits(calm)))}`,
    ratio: ratio(toCalm),
    ...atMost(goal, toCalm.median),
    durability: "fsync before each 202",
  };
}
