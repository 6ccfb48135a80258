import Database from "better-sqlite3";
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import type { RecordedDeliveryLine } from "../server/contract/backtest.ts";
import { readOrigin } from "../server/domain/deliveries/origin.ts";
import { exportDeliveries, getJson } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { repository, writeProject } from "./support/project.ts";
import { type Service, signalbox, startService } from "./support/service.ts";

const secret = "the secret of the sender";

/** How long the laptop is suspended at least, in addition to 40 deliveries. See CONTRIBUTING.md. */
const suspendedSeconds = Number(process.env["DEV_FROM_SUSPENDED_SECONDS"] ?? 0);
const longMs = 180_000 + 2 * suspendedSeconds * 1000;

const project = (filter: string) => ({
  "triggers/order-paid.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { github } from "signalbox/verify";
    import { z } from "zod";
    import packOrder from "../workflows/pack-order";
    export default defineWebhookSource({
      slug: "order-paid",
      endpoint: "orders",
      verify: github({ secret: process.env["ORDERS_SECRET"] }),
      request: z.object({ number: z.number(), total: z.number() }),
      filter: z.object({ total: z.number()${filter} }),
    }).attach({ workflow: packOrder });`,
  "workflows/pack-order.ts": `
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "pack-order",
      input: z.object({ number: z.number() }),
      run: async ({ number }) => ({ packed: number }),
    });`,
});

const cli = (projectDir: string, ...args: string[]) =>
  signalbox([...args, "--project", projectDir], { cwd: projectDir, env: { ORDERS_SECRET: secret } });

/** The ids and the hashes of the bytes. */
const contentsOf = (deliveries: readonly RecordedDeliveryLine[]) =>
  deliveries
    .map(
      ({ id, body }) =>
        `${id} ${createHash("sha256")
          .update(Buffer.from(body ?? "", "base64"))
          .digest("hex")}`,
    )
    .toSorted();

/** The status of a request that a tunnel passes on, under the name of the tunnel. */
function askThroughTunnel(service: Service, p: { method: string; path: string; headers?: Record<string, string> }) {
  const headers = { host: "a1b2.tunnel.example", "content-type": "application/json", ...p.headers };
  return new Promise<number>((resolve, reject) => {
    const asked = request(service.url + p.path, { method: p.method, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject).end(p.method === "POST" ? '{ "number": 1, "total": 9 }' : "");
  });
}

function countDeliveries(projectDir: string): number {
  const db = new Database(join(projectDir, ".signalbox/signalbox.db"), { readonly: true });
  const count = db.prepare("SELECT count(*) FROM delivery").pluck().get() as number;
  db.close();
  return count;
}

const hasReceived = (projectDir: string, count: number) =>
  vi.waitFor(() => expect(countDeliveries(projectDir)).toBeGreaterThanOrEqual(count), {
    timeout: longMs,
    interval: 250,
  });

/** The rows of each table. */
function hashTables(projectDir: string): Map<string, string> {
  const db = new Database(join(projectDir, ".signalbox/signalbox.db"), { readonly: true });
  const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
  const hashes = names.map((name): [string, string] => {
    const rows = db.prepare(`SELECT * FROM "${name}"`).raw().all();
    return [name, createHash("sha256").update(JSON.stringify(rows)).digest("hex")];
  });
  db.close();
  return new Map(hashes);
}

/** A sender that signs its requests. It sends until it is stopped. */
function startSender(url: URL) {
  let sent = 0;
  const stopping = new AbortController();
  async function send(body: string, key = secret): Promise<number> {
    const signature = createHmac("sha256", key).update(body).digest("hex");
    const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
    return (await fetch(url, { method: "POST", headers, body })).status;
  }
  const sending = (async () => {
    while (!stopping.signal.aborted) {
      sent += 1;
      const body = `{ "number": ${sent},\n "total": ${sent % 10}, "note": "ü ${"x".repeat(sent % 500)}" }`;
      const expected = sent % 11 === 0 ? [422] : sent % 10 < 5 ? [200] : [202];
      const forged = sent % 13 === 0 ? await send(body, "another secret") : 401;
      expect(forged).toBe(401);
      expect(expected).toContain(await send(sent % 11 === 0 ? body.replace('"number"', '"no"') : body));
    }
  })();
  return {
    sent: () => sent,
    stop: () => {
      stopping.abort();
      return sending;
    },
  };
}

it(
  "the deliveries of a service under load run on a laptop, each once and byte for byte, also after it was suspended and killed",
  async () => {
    const production = writeProject(project(".min(5)"));
    expect(cli(production, "build")).toMatchObject({ status: 0 });
    const service = await startService({ projectDir: production, command: "start", env: { ORDERS_SECRET: secret } });
    const link = new URL(cli(production, "triggers", "url", "order-paid").stdout.trim());
    const createToken = (scope: string) =>
      (JSON.parse(cli(production, "keys", "create", "--api", "--scope", scope, "--json").stdout) as { secret: string })
        .secret;
    const [token, adminToken] = [createToken("feed"), createToken("admin")];
    const admin = { authorization: `Bearer ${adminToken}` };

    // The laptop has no secret of the sender, and its filter differs.
    const laptop = writeProject(project(".min(8)"));
    const follow = (projectDir: string, ...args: string[]) =>
      startService({
        projectDir,
        command: "dev",
        args: ["--from", service.url, ...args],
        env: { SIGNALBOX_TOKEN: token },
      });
    const sender = startSender(link);
    const sentMore = (count: number) => {
      const goal = sender.sent() + count;
      return vi.waitFor(() => expect(sender.sent()).toBeGreaterThan(goal), { timeout: longMs, interval: 20 });
    };
    await sentMore(30);

    // The options in the README of new projects.
    const readme = readFileSync(join(repository, "examples/starter/README.md"), "utf8");
    const [, ...options] = /signalbox dev --from https:\/\/hooks\.example\.com (--since) (\S+)/.exec(readme) ?? [];
    expect(options).toEqual(["--since", "2h"]);
    const first = await follow(laptop, ...options);
    await hasReceived(laptop, 36);
    process.kill(-(first.child.pid ?? 0), "SIGSTOP");
    const whileSuspended = sender.sent();
    await Promise.all([sentMore(40), setTimeout(suspendedSeconds * 1000)]);
    if (suspendedSeconds > 0)
      console.info(`Suspended for ${suspendedSeconds} s: ${sender.sent() - whileSuspended} deliveries were sent.`);
    process.kill(-(first.child.pid ?? 0), "SIGCONT");
    await sentMore(15);
    await first.killGroup();
    await sentMore(40);
    const second = await follow(laptop);
    await sentMore(15);
    await sender.stop();

    const sent = (await exportDeliveries(service, admin)).filter(
      ({ problem }) => problem?.code !== "invalid_signature",
    );
    expect(sent.length).toBe(sender.sent());
    await hasReceived(laptop, sent.length);
    const received = await exportDeliveries(second);
    expect(contentsOf(received)).toEqual(contentsOf(sent));

    // Each has its own verdict, beside that of production.
    const bySource = new Map(sent.map((delivery) => [delivery.id, delivery]));
    for (const delivery of received) {
      const there = bySource.get(delivery.id);
      const { total } = JSON.parse(Buffer.from(delivery.body ?? "", "base64").toString()) as { total: number };
      const outcome = there?.outcome === "rejected" ? "rejected" : total >= 8 ? "accepted" : "skipped";
      expect([delivery.outcome, delivery.receivedAt]).toEqual([outcome, there?.receivedAt]);
      expect(readOrigin(delivery.headers)).toMatchObject({
        url: service.url,
        outcome: there?.outcome,
        responseStatus: there?.responseStatus,
        isMatchOnly: false,
      });
      expect(delivery.headers["x-hub-signature-256"]).toBe(there?.headers["x-hub-signature-256"]);
    }
    expect(first.output()).toContain(`The deliveries of ${service.url} run here, since `);
    expect(first.output()).toContain("= origin 202 accepted");
    expect(first.output()).toContain("≠ origin 202 accepted");
    expect(second.output()).toContain(`The deliveries of ${service.url} run here, since the last time.`);
    const accepted = received.filter(({ outcome }) => outcome === "accepted");
    const { count } = await getJson<{ count: number }>(`${second.url}/api/v1/runs/count`);
    expect(count).toBe(accepted.length);

    // The page of a delivery has production's decision beside its own.
    const differing = received.find(
      ({ outcome, headers }) => outcome === "skipped" && readOrigin(headers)?.outcome === "accepted",
    );
    const { page, errors } = await visit(`${second.url}/deliveries/${differing?.id}`);
    await page.goto(`${second.url}/deliveries/${differing?.id}`);
    const panel = page.getByRole("region", { name: "Origin" });
    await panel.getByText("Its response was 202 (accepted). Its triggers decided otherwise.").waitFor();
    await panel.getByText("order-paid:pack-order: matched there, filter mismatch here").waitFor();
    await panel.getByText(service.url).waitFor();
    await page.getByRole("region", { name: "Trigger verdicts" }).getByText("Filter mismatch").first().waitFor();
    expect(errors).toEqual([]);

    // Through a tunnel, only webhooks with a key and a signature are accepted, and a token of production gives no
    // access.
    const bearer = { authorization: `Bearer ${token}` };
    for (const path of [
      "/api/v1/runs",
      `/api/v1/deliveries/${differing?.id}`,
      "/api/v1/deliveries/feed",
      "/api/v1/keys",
    ])
      for (const headers of [{}, bearer])
        expect(await askThroughTunnel(second, { method: "GET", path, headers }), path).toBe(401);
    expect(await askThroughTunnel(second, { method: "GET", path: `/deliveries/${differing?.id}` })).toBe(303);
    expect(await askThroughTunnel(second, { method: "POST", path: "/triggers/orders" })).toBe(401);
    const { secret: key } = JSON.parse(cli(laptop, "keys", "create", "--json").stdout) as { secret: string };
    expect(await askThroughTunnel(second, { method: "POST", path: `/triggers/orders?token=${key}` })).toBe(401);
    const rejected = (await exportDeliveries(second)).filter(({ problem }) => problem?.code === "invalid_signature");
    expect(rejected).toHaveLength(1);
    expect(await getJson(`${second.url}/api/v1/runs/count`)).toMatchObject({ count });
    expect(await second.stop()).toBe(0);

    // Production is unchanged but for its audit log, and evaluating alone starts nothing.
    const idle = hashTables(production);
    const matchOnlyDir = writeProject(project(".min(8)"));
    const matchOnly = await follow(
      matchOnlyDir,
      "--since",
      "1h",
      "--endpoint",
      "orders",
      "--endpoint",
      "returns",
      "--match-only",
    );
    await hasReceived(matchOnlyDir, sent.length);
    const evaluated = await exportDeliveries(matchOnly);
    expect(evaluated.length).toBe(sent.length);
    expect(evaluated.filter(({ outcome }) => outcome === "held").length).toBe(accepted.length);
    expect(await getJson(`${matchOnly.url}/api/v1/runs/count`)).toMatchObject({ count: 0 });
    const [held] = evaluated.filter(({ outcome }) => outcome === "held");
    expect(cli(matchOnlyDir, "deliveries", "release", held?.id ?? "")).toMatchObject({ status: 0 });
    expect(await getJson(`${matchOnly.url}/api/v1/runs/count`)).toMatchObject({ count: 1 });
    expect(await matchOnly.stop()).toBe(0);
    const changed = [...hashTables(production)].flatMap(([name, hash]) => (idle.get(name) === hash ? [] : [name]));
    // A service writes heartbeats, drift and the time by itself, and when a key was used last.
    const own = ["audit_entry", "webhook_key", "worker", "event_contract", "clock_watch"];
    expect(changed.filter((name) => !own.includes(name))).toEqual([]);
    const { data } = await getJson<{ data: { action: string; detail: unknown }[] }>(
      `${service.url}/api/v1/audit?limit=100`,
      admin,
    );
    const opened = data.filter(({ action }) => action === "feed.opened");
    expect(opened.length).toBeGreaterThanOrEqual(3);
    expect(opened[0]).toMatchObject({ detail: { endpoints: ["orders", "returns"] } });
    expect(await service.stop()).toBe(0);
  },
  3 * longMs,
);

it("dev --from names what is wrong with the token, the address or the version of the service", async () => {
  const projectDir = writeProject(project(""));
  const run = (...args: string[]) =>
    signalbox(["dev", "--project", projectDir, "--port", "0", ...args], {
      cwd: projectDir,
      env: { SIGNALBOX_TOKEN: "sbt_no" },
    });
  expect(run("--since", "2h")).toMatchObject({ status: 2, stderr: expect.stringContaining("name it with --from") });
  expect(run("--from", "http://hooks.example.com")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("must start with https://"),
  });
});
