import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { expect, onTestFinished, test, vi } from "vitest";
import type { AlertDestinations } from "../config.ts";
import { AppError } from "../contract/app-error.ts";
import { readAlertRules } from "../contract/project/settings.ts";
import { type Logger, silentLogger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { openSqliteStore } from "../store/sqlite/open-store.ts";
import { aClaim, aRun, epoch } from "../store/testing/factories.ts";
import { startAlerts } from "./start-alerts.ts";
import { testAlerts } from "./test-alerts.ts";

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A real HTTP server. `answer`: the status of the response to each request. */
async function startReceiver(answer: (count: number) => number = () => 204) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    received.push({ headers: request.headers, body });
    response.writeHead(answer(received.length), { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=hidden` };
}

/** A store with failed runs, and alerts whose timers and clock only the test moves. */
async function openAlerts(destinations: Partial<AlertDestinations>, logger: Logger = silentLogger) {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-alerts-"));
  let now = epoch;
  const clock = { now: () => now };
  const store = await openSqliteStore({ file: join(dir, "test.db"), clock, logger: silentLogger });
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  let broken: Error | null = null;
  const faulty: Store = {
    ...store,
    readAlertState: (p) => (broken ? Promise.reject(broken) : store.readAlertState(p)),
    saveAlertPlan: (p) => (broken ? Promise.reject(broken) : store.saveAlertPlan(p)),
  };
  const settings = { rules: readAlertRules({}), destinations: { webhook: null, slack: null, ...destinations } };
  const calls = countCalls(faulty);
  const start = () =>
    startAlerts({
      store: calls.store,
      settings,
      readManifest: async () => null,
      baseUrl: () => "https://hooks.example.com",
      machine: "host-1",
      readDisks: async () => [],
      clock,
      logger,
      random: () => 0.5,
    });
  const alerts = start();
  onTestFinished(async () => {
    vi.useRealTimers();
    await alerts.close();
    await store.close();
    rmSync(dir, { recursive: true });
  });
  return {
    store,
    settings,
    start,
    breakStore: (error: Error | null) => (broken = error),
    async fail(count: number) {
      await store.createRuns(Array.from({ length: count }, () => aRun({ createdAt: now })));
      for (const { id, token } of await store.claimRuns(aClaim({ limit: count, now })))
        await store.writeProgress({
          runId: id,
          token,
          now,
          entries: [],
          transition: { to: "failed", error: { name: "Error", message: "no money", stack: null } },
        });
    },
    /** Lets time pass, in steps in which the store and real requests can be answered. */
    async pass(ms: number, stepMs = 1000) {
      for (const endAt = now + ms; now < endAt;) {
        const step = Math.min(stepMs, endAt - now);
        now += step;
        await vi.advanceTimersByTimeAsync(step);
        await vi.waitFor(async () => expect(await isSending()).toBe(false), { interval: 1 });
      }
    },
    list: async () => (await store.listAlerts({}, { limit: 100, cursor: null })).data,
  };

  /** Whether an attempt has begun whose outcome is not written. */
  async function isSending(): Promise<boolean> {
    await new Promise(setImmediate);
    if (calls.pending() > 0) return true;
    const { data } = await store.listAlerts({}, { limit: 100, cursor: null });
    return data.some(({ messages }) =>
      messages.some(({ status, attempts, error }) => status === "pending" && attempts > 0 && error === null),
    );
  }
}

/** The same store, and the number of its calls that have no result yet. */
function countCalls(store: Store): { store: Store; pending: () => number } {
  let pending = 0;
  const counting = new Proxy(store, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== "function") return operation;
      return (...args: unknown[]): unknown => {
        const result: unknown = operation.apply(target, args);
        if (!(result instanceof Promise)) return result;
        pending += 1;
        return result.finally(() => (pending -= 1));
      };
    },
  });
  return { store: counting, pending: () => pending };
}

const secretBytes = randomBytes(32);
const secretText = `whsec_${secretBytes.toString("base64")}`;

test("failed runs open one alert, sent as a Standard Webhook that the reference libraries verify", async () => {
  const receiver = await startReceiver();
  const alerts = await openAlerts({ webhook: { url: receiver.url, secret: secretBytes } });
  await alerts.pass(16_000);
  await alerts.fail(50);
  await alerts.pass(31_000);
  const [{ headers, body } = { headers: {}, body: "" }, ...more] = receiver.received;
  expect(more).toEqual([]);
  const at = headers as Record<string, string>;
  // The libraries reject signatures of long ago.
  vi.useRealTimers();
  vi.useFakeTimers({ now: Number(at["webhook-timestamp"]) * 1000, toFake: ["Date"] });
  for (const Library of [Webhook, SvixWebhook]) {
    expect(() => new Library(secretText).verify(body, at)).not.toThrow();
    expect(() => new Library(secretText).verify(`${body} `, at)).toThrow("No matching signature");
  }
  expect(JSON.parse(body)).toMatchObject({
    type: "alert.opened",
    timestamp: expect.stringMatching(/^2026-01-01T00:00:\d\d/),
    data: {
      kind: "run_failed",
      subject: "workflow:welcome-email",
      status: "active",
      title: "50 runs of workflow welcome-email failed",
      count: 50,
      url: expect.stringMatching(/^https:\/\/hooks\.example\.com\/runs\?status=failed&target=welcome-email/),
    },
  });
  const [alert] = await alerts.list();
  expect(alert?.messages).toMatchObject([{ id: headers["webhook-id"], status: "sent", attempts: 1 }]);
});

test("a run that failed before the first evaluation opens an alert, too", async () => {
  const alerts = await openAlerts({});
  await alerts.fail(2);
  await alerts.pass(31_000);
  expect(await alerts.list()).toMatchObject([{ status: "active", count: 2, messages: [] }]);
});

test("an alert that ends is reported with its final count", async () => {
  const receiver = await startReceiver();
  const alerts = await openAlerts({ webhook: { url: receiver.url, secret: secretBytes } });
  await alerts.pass(16_000);
  await alerts.fail(3);
  // The store is read in real time: a slow machine reports the alert a few steps later.
  while (receiver.received.length === 0) await alerts.pass(1_000);
  await alerts.fail(4);
  await alerts.pass(3_700_000, 30_000);
  expect(receiver.received.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
    { type: "alert.opened", data: { count: 3 } },
    { type: "alert.resolved", data: { count: 7, status: "resolved" } },
  ]);
  await alerts.fail(1);
  await alerts.pass(31_000);
  expect(receiver.received).toHaveLength(3);
  expect(JSON.parse(receiver.received[2]?.body ?? "")).toMatchObject({ type: "alert.opened", data: { count: 1 } });
});

test("a receiver that is down gets the same message again, with the same id, until it accepts it", async () => {
  const receiver = await startReceiver((count) => (count === 1 ? 500 : count === 2 ? 302 : 200));
  const logged: unknown[] = [];
  const logger = { ...silentLogger, warn: (message: string, fields?: object) => void logged.push([message, fields]) };
  const alerts = await openAlerts({ webhook: { url: receiver.url, secret: secretBytes } }, logger);
  await alerts.pass(16_000);
  await alerts.fail(1);
  await alerts.pass(60_000);
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect(receiver.received).toHaveLength(3);
  expect((await alerts.list())[0]?.messages).toMatchObject([{ status: "sent", attempts: 3, error: null }]);
  expect(logged).toMatchObject([
    ["alert message failed, retrying", { reason: "status 500" }],
    ["alert message failed, retrying", { reason: "status 302" }],
  ]);
});

test("a message that no attempt delivers fails, and causes no alert", async () => {
  const receiver = await startReceiver(() => 410);
  const alerts = await openAlerts({ webhook: { url: receiver.url, secret: secretBytes } });
  await alerts.pass(16_000);
  await alerts.fail(1);
  await alerts.pass(120_000);
  expect(receiver.received).toHaveLength(1);
  expect(await alerts.list()).toMatchObject([
    { kind: "run_failed", messages: [{ status: "failed", error: "status 410" }] },
  ]);
});

test("Slack gets a text with a link", async () => {
  const receiver = await startReceiver();
  const alerts = await openAlerts({ slack: { url: receiver.url } });
  await alerts.pass(16_000);
  await alerts.fail(2);
  await alerts.pass(31_000);
  expect(receiver.received.map(({ body }) => JSON.parse(body) as object)).toEqual([
    {
      text: expect.stringMatching(
        /^\*Alert\*: <https:\/\/hooks\.example\.com\/runs\?[^|>]+\|2 runs of workflow welcome-email failed>\n• Error: no money/,
      ),
    },
  ]);
});

test("two machines on one store send each message once", async () => {
  const receiver = await startReceiver();
  const alerts = await openAlerts({ webhook: { url: receiver.url, secret: secretBytes } });
  const second = alerts.start();
  onTestFinished(() => second.close());
  await alerts.pass(16_000);
  await alerts.fail(5);
  await alerts.pass(3_700_000, 30_000);
  expect(receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
    "alert.opened",
    "alert.resolved",
  ]);
  expect(await alerts.list()).toHaveLength(1);
});

test("an outage of the store is reported while it lasts, once, and recorded and ended afterwards", async () => {
  const receiver = await startReceiver((count) => (count === 1 ? 503 : 200));
  const alerts = await openAlerts({ webhook: { url: receiver.url, secret: secretBytes } });
  await alerts.pass(16_000);
  alerts.breakStore(new AppError("store_unavailable", "The disk is full."));
  await alerts.pass(180_000);
  const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: { id: string } });
  await vi.waitFor(() => expect(bodies()).toHaveLength(2));
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(bodies()[1]).toMatchObject({ type: "alert.opened", data: { kind: "store_unavailable", subject: "host-1" } });
  alerts.breakStore(null);
  await alerts.pass(60_000);
  expect(bodies()).toHaveLength(3);
  expect(bodies()[2]).toMatchObject({ type: "alert.resolved", data: { id: bodies()[1]?.data.id } });
  expect(await alerts.list()).toMatchObject([{ kind: "store_unavailable", status: "resolved" }]);
});

test("no address or secret of a destination is logged or stored", async () => {
  const lines: string[] = [];
  const write = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const logger = { ...silentLogger, debug: write, info: write, warn: write, error: write };
  const closed = "http://127.0.0.1:9/services/hidden";
  const alerts = await openAlerts({ webhook: { url: closed, secret: secretBytes }, slack: { url: closed } }, logger);
  await alerts.pass(16_000);
  await alerts.fail(1);
  await alerts.pass(31_000);
  const stored = await alerts.list();
  expect(stored[0]?.messages[0]?.error).toMatch(/^no connection/);
  expect(lines.length).toBeGreaterThan(0);
  for (const text of [...lines, JSON.stringify(stored)]) {
    expect(text).not.toContain("hidden");
    expect(text).not.toContain(secretBytes.toString("base64"));
  }
});

test("a test message goes to each destination once, and its result is returned", async () => {
  const receiver = await startReceiver((count) => (count === 1 ? 200 : 500));
  const alerts = await openAlerts({});
  const settings = {
    ...alerts.settings,
    destinations: { webhook: { url: receiver.url, secret: secretBytes }, slack: null },
  };
  const deps = { alerts: settings, baseUrl: () => "https://hooks.example.com", clock: { now: () => epoch } };
  expect(await testAlerts(deps)).toEqual([{ destination: "webhook", isSent: true, error: null }]);
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ type: "alert.test" });
  expect(await testAlerts(deps)).toEqual([{ destination: "webhook", isSent: false, error: "status 500" }]);
  await expect(testAlerts({ ...deps, alerts: alerts.settings })).rejects.toMatchObject({ code: "invalid_request" });
});
