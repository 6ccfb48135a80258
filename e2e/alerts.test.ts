import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Alert } from "../server/contract/alert.ts";
import type { Run, RunSummary } from "../server/contract/run.ts";
import { startScriptedProvider } from "../server/engine/agent/testing/scripted-provider.ts";
import { childrenOf } from "./auditor/processes.ts";
import { createFakeClock } from "./faults/set-clock.ts";
import { limitFiles } from "./faults/small-disk.ts";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { expectSoundPage } from "./support/sound-page.ts";
import { writeProject } from "./support/project.ts";
import { type Service, signalbox, startService } from "./support/service.ts";

const project = {
  "signalbox.config.ts": `
    import { defineConfig } from "signalbox/config";
    export default defineConfig({ alerts: {} });`,
  "workflows/charge.ts": `
    import { appendFileSync, existsSync } from "node:fs";
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "charge",
      input: z.object({ order: z.string() }),
      retries: { attempts: 2, initialDelay: "10ms" },
      run(input) {
        throw new Error("the card of " + input.order + " was declined");
      },
      async onFailure(run, ctx) {
        await ctx.step("release", () => appendFileSync("effects.log", "release " + run.input?.order + "\\n"));
        appendFileSync("effects.log", "waiting\\n");
        while (!existsSync("go-on")) await new Promise((resolve) => setTimeout(resolve, 20));
        return { released: run.input?.order, attempts: run.attempts };
      },
    });`,
  "triggers/order.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import charge from "../workflows/charge";
    export default defineWebhookSource({ slug: "order", endpoint: "orders", request: z.object({ order: z.string() }) }).attach({ workflow: charge });`,
};

const send = async (service: Service, order: string) => {
  const response = await postJson(`${service.url}/triggers/orders`, { order });
  expect(response.status).toBe(202);
  return ((await response.json()) as { runId: string }).runId;
};
const listAlerts = async (service: Service) => (await getJson<{ data: Alert[] }>(`${service.url}/api/v1/alerts`)).data;
const waiting = { interval: 100 };

test("onFailure of a failed run is called once and continues after kill -9, and its run is linked", async () => {
  const projectDir = writeProject(project);
  const effects = () => {
    const file = join(projectDir, "effects.log");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  };
  const first = await startService({ projectDir, command: "dev" });
  const runId = await send(first, "o-1");
  expect(await waitForRun(first, runId)).toMatchObject({ status: "failed", attempt: 2, failureOf: null });
  await vi.waitFor(() => expect(effects()).toContain("waiting"), waiting);
  await first.killGroup();

  writeFileSync(join(projectDir, "go-on"), "");
  const second = await startService({ projectDir, command: "dev" });
  const { data } = await getJson<{ data: RunSummary[] }>(`${second.url}/api/v1/runs?failureOf=${runId}`);
  expect(data).toMatchObject([
    { startedBy: "failure", failureOf: runId, target: { slug: "charge" }, trigger: "order" },
  ]);
  const handler = await waitForRun(second, data[0]?.id ?? "");
  expect(handler).toMatchObject({
    status: "completed",
    output: { released: "o-1", attempts: 2 },
    input: { id: runId, status: "failed", error: { message: "the card of o-1 was declined" } },
  });
  expect(effects().filter((line) => line === "release o-1")).toHaveLength(1);
  const shown = signalbox(["runs", "get", handler.id], { cwd: projectDir });
  expect(shown.stdout).toContain(runId);
});

interface Receiver {
  received: { headers: IncomingHttpHeaders; body: string }[];
  port: number;
}

async function startReceiver(port = 0): Promise<Receiver> {
  const received: Receiver["received"] = [];
  const server: Server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    received.push({ headers: request.headers, body });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  return { received, port: (server.address() as AddressInfo).port };
}

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("many failed runs make one alert, whose signed message arrives once the receiver is back, after kill -9", async () => {
  const projectDir = writeProject(project);
  writeFileSync(join(projectDir, "go-on"), "");
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const port = await freePort();
  const env = {
    SIGNALBOX_ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}/alerts?token=hidden-token`,
    SIGNALBOX_ALERT_WEBHOOK_SECRET: secret,
  };
  const first = await startService({ projectDir, command: "dev", env });
  const runIds = await Promise.all(Array.from({ length: 40 }, (_, n) => send(first, `o-${n}`)));
  for (const runId of runIds) expect((await waitForRun(first, runId)).status).toBe("failed");
  await vi.waitFor(
    async () =>
      expect(await listAlerts(first)).toMatchObject([
        { status: "active", messages: [{ status: "pending", error: "no connection (ECONNREFUSED)" }] },
      ]),
    waiting,
  );
  await first.killGroup();

  const receiver = await startReceiver(port);
  const second = await startService({ projectDir, command: "dev", env });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), { timeout: 120_000, interval: 100 });
  const [{ headers, body } = { headers: {}, body: "" }] = receiver.received;
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
    type: "alert.opened",
    data: { kind: "run_failed", subject: "workflow:charge" },
  });
  await vi.waitFor(async () => expect((await listAlerts(second))[0]?.messages[0]?.status).toBe("sent"), waiting);
  const [alert, ...others] = await listAlerts(second);
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ count: 40, title: "40 runs of workflow charge failed" });
  expect(alert?.messages[0]?.id).toBe(headers["webhook-id"]);

  const listed = signalbox(["alerts", "list"], { cwd: projectDir });
  expect(listed.stdout).toContain("40 runs of workflow charge failed");
  const tested = await postJson(`${second.url}/api/v1/alerts/test`, {});
  expect(await tested.json()).toEqual({ data: [{ destination: "webhook", isSent: true, error: null }] });
  expect(JSON.parse(receiver.received.at(-1)?.body ?? "")).toMatchObject({ type: "alert.test" });

  const { page: tab, errors } = await visit(second.url);
  await tab.goto(`${second.url}/alerts`);
  await tab.getByRole("link", { name: "1 active alert" }).waitFor();
  await expectSoundPage(tab, "an active alert");
  const page = await tab.content();
  await tab.getByRole("link", { name: "40 runs of workflow charge failed" }).press("Enter");
  await tab.waitForURL(/\/runs\?status=failed&target=charge&since=/);
  await tab.goto(`${second.url}/runs/${runIds[0] ?? ""}`);
  const handlers = tab.locator("dl div", { has: tab.getByText("onFailure", { exact: true }) });
  await handlers.getByText("completed").waitFor();
  await handlers.getByRole("link").click();
  await tab.getByText("onFailure of").waitFor();
  expect(errors).toEqual([]);

  expect(page).toContain("40 runs of workflow charge failed");
  const manifest = readFileSync(join(projectDir, ".signalbox/manifest.json"), "utf8");
  for (const text of [page, manifest, first.output(), second.output(), JSON.stringify(alert)])
    for (const hidden of ["hidden-token", secret.slice(6)]) expect(text).not.toContain(hidden);
  expect(await getJson<Run>(`${second.url}/api/v1/runs/${runIds[0] ?? ""}`)).toMatchObject({ status: "failed" });
});

/** Each cause is found with one or two requests. The shortest time that a setting allows is a minute: the clock jumps. */
const watched = {
  "signalbox.config.ts": `
    import { defineConfig } from "signalbox/config";
    export default defineConfig({
      alerts: { runFailed: false, mismatches: { share: 0.5, atLeast: 2, within: "1m" }, approvalPending: { after: "1m" }, storeUnavailable: { after: "1m" } },
    });`,
  "workflows/pack.ts": `
    import { existsSync } from "node:fs";
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "pack",
      input: z.object({ order: z.string() }),
      concurrency: 1,
      maxQueued: 1,
      async run() {
        while (!existsSync("go-on")) await new Promise((resolve) => setTimeout(resolve, 50));
      },
    });`,
  "triggers/order.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import pack from "../workflows/pack";
    export default defineWebhookSource({ slug: "order", endpoint: "orders", request: z.object({ order: z.string() }) }).attach({ workflow: pack });`,
  "triggers/refund.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import pack from "../workflows/pack";
    export default defineWebhookSource({ slug: "refund", endpoint: "refunds", request: z.object({ order: z.string() }) }).attach({ workflow: pack });`,
  "agents/cashier.ts": `
    import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
    import { defineAgent, defineTool } from "signalbox/agent";
    import { z } from "zod";
    const provider = createOpenAICompatible({ name: "scripted", baseURL: process.env["MODEL_URL"] ?? "http://127.0.0.1:1/v1", apiKey: "none" });
    export default defineAgent({
      slug: "cashier",
      model: provider("scripted-1"),
      instructions: "You pay.",
      tools: { pay: defineTool({ description: "Pays", inputSchema: z.object({ cents: z.int() }), needsApproval: true, execute: ({ cents }) => ({ paid: cents }) }) },
    });`,
};

test(
  "mismatches, a full queue, a pending approval, an expiring key and a full disk each open an alert, whose signed message and Slack message arrive, and end it",
  { timeout: 600_000 },
  async () => {
    const provider = await startScriptedProvider(() => ({ calls: [{ name: "pay", arguments: { cents: 500 } }] }));
    onTestFinished(() => provider.close());
    const [receiver, slack] = [await startReceiver(), await startReceiver()];
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    const projectDir = writeProject(watched);
    const clock = createFakeClock(projectDir);
    const service = await startService({
      projectDir,
      command: "dev",
      env: {
        ...clock.env,
        MODEL_URL: provider.baseURL,
        SIGNALBOX_ALERT_WEBHOOK_URL: `http://127.0.0.1:${receiver.port}/alerts`,
        SIGNALBOX_ALERT_WEBHOOK_SECRET: secret,
        SIGNALBOX_ALERT_SLACK_URL: `http://127.0.0.1:${slack.port}/services/T0/B0/hidden`,
      },
    });
    const started = await postJson(`${service.url}/api/v1/agents/cashier/runs`, { prompt: "Pay Ada <now>." });
    const { runId } = (await started.json()) as { runId: string };
    const running = await send(service, "o-1");
    await vi.waitFor(
      async () => expect((await getJson<Run>(`${service.url}/api/v1/runs/${running}`)).status).toBe("running"),
      waiting,
    );
    await send(service, "o-2");
    for (const order of [1, 2]) expect((await postJson(`${service.url}/triggers/refunds`, { order })).status).toBe(422);
    const expiring = ["keys", "create", "--name", "old <sender>", "--expires", "3d", "--json"];
    const key = JSON.parse(signalbox(expiring, { cwd: projectDir }).stdout) as { id: string };

    const verified: SentMessage[] = [];
    /** Verified messages of the webhook, by their kind. */
    const messagesOf = (type: string) => {
      for (const { headers, body } of receiver.received.slice(verified.length))
        verified.push(new Webhook(secret).verify(body, headers as Record<string, string>) as SentMessage);
      return new Map(verified.filter((message) => message.type === type).map(({ data }) => [data.kind, data]));
    };
    const untilSent = (type: string, kinds: readonly string[]) =>
      vi.waitFor(() => expect([...messagesOf(type).keys()].toSorted()).toEqual(kinds), {
        timeout: 180_000,
        interval: 250,
      });
    const all = ["approval_pending", "key_expiring", "mismatches", "queue_full"];
    await untilSent("alert.opened", all.slice(1));
    clock.set(61);
    await untilSent("alert.opened", all);
    const opened = messagesOf("alert.opened");
    expect(opened.get("mismatches")).toMatchObject({
      subject: "refunds",
      title: expect.stringMatching(/^100 % of 2 deliveries to endpoint refunds matched no trigger within 1 min/),
      url: `${service.url}/deliveries?endpoint=refunds`,
    });
    expect(opened.get("queue_full")).toMatchObject({
      subject: "workflow:pack",
      title: "The queue of workflow pack is full: 1 of 1 runs",
    });
    expect(opened.get("approval_pending")).toMatchObject({ subject: runId, url: `${service.url}/runs/${runId}` });
    expect(opened.get("key_expiring")).toMatchObject({
      subject: key.id,
      title: expect.stringMatching(/^Webhook key old <sender> expires at 20/),
    });

    // Each alert has a message for Slack, in its markup.
    const textsOf = () => slack.received.map(({ body }) => (JSON.parse(body) as { text: string }).text);
    await vi.waitFor(() => expect(textsOf().filter((text) => text.startsWith("*Alert*: "))).toHaveLength(4), waiting);
    expect(slack.received[0]?.headers).toMatchObject({ "content-type": "application/json" });
    expect(slack.received[0]?.headers["webhook-signature"]).toBeUndefined();
    expect(textsOf()).toContainEqual(
      expect.stringMatching(
        /^\*Alert\*: <http:[^|<>]+\/settings\/keys\|Webhook key old &lt;sender&gt; expires at [^<>]+>$/,
      ),
    );

    // The causes end.
    writeFileSync(join(projectDir, "go-on"), "");
    expect(signalbox(["keys", "revoke", key.id], { cwd: projectDir }).status).toBe(0);
    expect((await postJson(`${service.url}/api/v1/runs/${runId}/cancel`, {})).status).toBe(200);
    await untilSent("alert.resolved", all);
    const listed = await listAlerts(service);
    expect(listed.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual(
      all.map((kind) => `${kind} resolved`),
    );
    for (const { messages } of listed)
      expect(messages.map(({ destination }) => destination).toSorted()).toEqual([
        "slack",
        "slack",
        "webhook",
        "webhook",
      ]);

    // Nothing can be recorded: the message is sent without the store, and recorded once there is space.
    const outage = "store_unavailable";
    const { pid = 0 } = service.child;
    const writers = [...childrenOf(pid, "receiver"), ...childrenOf(pid, "web")];
    limitFiles(writers, "0");
    await vi.waitFor(() => expect(service.output()).toContain("alerts could not be evaluated"), {
      timeout: 120_000,
      interval: 250,
    });
    expect((await postJson(`${service.url}/triggers/orders`, { order: "o-3" })).status).toBe(503);
    clock.set(122);
    await untilSent("alert.opened", [...all, outage]);
    expect(messagesOf("alert.opened").get(outage)).toMatchObject({
      title: expect.stringMatching(/store .* since 20/),
    });
    limitFiles(writers, "unlimited");
    await untilSent("alert.resolved", [...all, outage]);
    expect((await listAlerts(service)).filter(({ kind }) => kind === outage)).toMatchObject([{ status: "resolved" }]);
    expect(textsOf().filter((text) => /store/i.test(text))).toHaveLength(2);
    expect((await postJson(`${service.url}/triggers/orders`, { order: "o-3" })).status).toBe(202);
  },
);

interface SentMessage {
  type: string;
  data: Pick<Alert, "kind" | "subject" | "title"> & { url: string };
}

test("alerts that cannot work stop the start, with the fix", () => {
  const projectDir = writeProject(project);
  expect(signalbox(["build"], { cwd: projectDir }).status).toBe(0);
  const start = (env: Record<string, string>) => signalbox(["start", "--port", "0"], { cwd: projectDir, env }).stderr;
  const url = "https://alerts.example.com/?token=hidden";
  expect(start({ SIGNALBOX_ALERT_WEBHOOK_URL: url })).toContain("SIGNALBOX_ALERT_WEBHOOK_SECRET must be set together");
  expect(start({ SIGNALBOX_ALERT_WEBHOOK_URL: url, SIGNALBOX_ALERT_WEBHOOK_SECRET: "hidden" })).toMatch(
    /SIGNALBOX_ALERT_WEBHOOK_SECRET must be whsec_.*\n/,
  );
  expect(start({ SIGNALBOX_ALERT_SLACK_URL: "hidden" })).toContain("SIGNALBOX_ALERT_SLACK_URL is not a URL");
  writeFileSync(
    join(projectDir, "signalbox.config.ts"),
    "export default { alerts: { runFailed: { quiteFor: '1h' } } };",
  );
  expect(signalbox(["build"], { cwd: projectDir }).stderr).toContain(
    "signalbox.config.ts: alerts.runFailed: quiteFor is not a setting",
  );
});
