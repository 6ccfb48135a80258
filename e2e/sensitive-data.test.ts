import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Alert } from "../server/contract/alert.ts";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { startCollector } from "./support/collector.ts";
import { expectSoundPage } from "./support/sound-page.ts";
import { repository, writeProject } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";

const project = {
  "signalbox.config.ts": `
    import { defineConfig } from "signalbox/config";
    export default defineConfig({ alerts: {}, encryption: true });`,
  ".env": `SIGNALBOX_ENCRYPTION_KEYS=${randomBytes(32).toString("base64")}`,
  "triggers/patient.ts": `
    import { defineWebhookSource, sensitive } from "signalbox/trigger";
    import { z } from "zod";
    import admit from "../workflows/admit";
    export default defineWebhookSource({
      slug: "patient",
      endpoint: "patients",
      request: z.object({
        id: z.string(),
        name: z.string().meta({ sensitive: true }),
        email: sensitive(z.email()),
        ward: z.enum(["east", "west"]).meta({ sensitive: true }).optional(),
        visitors: z.record(z.string(), z.int()).meta({ sensitive: true }).default({}),
      }),
      headers: z.object({ "x-clinic-user": z.string().min(3).meta({ sensitive: true }) }),
    }).attach({
      workflow: admit,
      transform: ({ id, name, email, visitors }, { headers }) => ({ id, to: email, greeting: "Dear " + name, by: headers["x-clinic-user"] ?? "", visitors }),
    });`,
  "triggers/vip.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import admit from "../workflows/admit";
    export default defineWebhookSource({
      slug: "vip",
      endpoint: "patients",
      request: z.object({ id: z.string(), name: z.string(), email: z.string() }),
      filter: z.object({ name: z.literal("Grace Hopper") }),
    }).attach({ workflow: admit, transform: ({ id, name, email }) => ({ id, to: email, greeting: name, by: "", visitors: {} }) });`,
  "workflows/admit.ts": `
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "admit",
      input: z.object({ id: z.string(), to: z.string(), greeting: z.string(), by: z.string(), visitors: z.record(z.string(), z.int()) }),
      retries: { attempts: 1 },
      async run({ id, to, greeting, by, visitors }, ctx) {
        ctx.log.info("admitting " + greeting, { to, by, visitors });
        for (const visitor of Object.keys(visitors)) {
          await ctx.step("invite " + visitors[visitor], async () => ({ [visitor]: "https://clinic.example/?for=" + encodeURIComponent(visitor) }));
          if (id === "fails") ctx.log.error("cannot invite " + visitor, { asJson: JSON.stringify(visitors) });
        }
        // A name that a sender chose, and values that are cut to a maximum length.
        await ctx.step("call " + to, async () => ({ [greeting]: (greeting + " ").repeat(2_000) }));
        ctx.log.warn("x".repeat(16_370) + to, { long: "x".repeat(16_370) + greeting });
        if (id === "fails-long") throw new Error(("no room for " + to + " ").repeat(1_000));
        const sent = await ctx.step("greet", async () => ({ to, text: greeting }));
        if (id === "fails") await ctx.step("find a bed", async () => { throw new Error("no bed for " + to + " by " + by); });
        return { sent, by, visitors };
      },
    });`,
};

/** In every sensitive value. */
const canary = /canary-0815/i;
const headers = { "x-clinic-user": "Canary-0815-User" };
const visitors = { "visitor.canary-0815@hopper.dev": 1, 'Canary-0815 "Ada"/L': 2 };
const patient = { name: "Canary-0815-Lovelace", email: "canary-0815@hopper.dev", ward: "east", visitors };
const idOf = (response: Response) => response.headers.get("signalbox-delivery") ?? "";
const waiting = { interval: 200 };

/** The events of the feed, up to these deliveries. */
async function readFeed(url: string, ids: readonly string[]): Promise<string> {
  const response = await fetch(`${url}/api/v1/deliveries/feed?since=2020-01-01T00:00:00Z`);
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.endsWith("\n\n") && ids.every((id) => text.includes(`"id":"${id}"`))) break;
  }
  return text;
}

/** Keeps the bodies of the messages to a destination of alerts. */
async function startAlertReceiver(): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`, bodies };
}

test("a sensitive value is in no page, answer, export, feed, tool, log, span, metric, alert, file or encrypted store, and is found after an audited reveal", async () => {
  const collector = await startCollector();
  const receiver = await startAlertReceiver();
  const projectDir = writeProject(project);
  symlinkSync(join(repository, "node_modules/@opentelemetry"), join(projectDir, "node_modules/@opentelemetry"));
  const service = await startService({
    projectDir,
    command: "dev",
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      SIGNALBOX_LOG_LEVEL: "debug",
      SIGNALBOX_ALERT_WEBHOOK_URL: receiver.url,
      SIGNALBOX_ALERT_WEBHOOK_SECRET: `whsec_${randomBytes(32).toString("base64")}`,
    },
  });
  const { url } = service;
  const found: string[] = [];
  const search = (where: string, text: string) => void (canary.test(text) && found.push(where));

  const post = async (body: unknown, sent: Record<string, string> = headers) =>
    postJson(`${url}/triggers/patients`, body, sent);
  const deliveries: string[] = [];
  const runIds: string[] = [];
  for (const id of ["ok", "fails", "fails-long"]) {
    const response = await post({ id, ...patient });
    deliveries.push(idOf(response));
    runIds.push(((await response.json()) as { runId: string }).runId);
  }
  // A failed validation of the body, and of the header; a body of another type; and one that is not JSON.
  deliveries.push(idOf(await post({ id: 1, name: [patient.name], email: patient.name, ward: patient.name })));
  deliveries.push(idOf(await post({ id: "x", ...patient }, { "x-other": "1" })));
  deliveries.push(idOf(await post(patient.name)));
  const broken = await fetch(`${url}/triggers/patients`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: `{"name": "${patient.name}", broken`,
  });
  deliveries.push(idOf(broken));
  expect(deliveries.every((id) => id.startsWith("dlv_"))).toBe(true);
  const [first = ""] = deliveries;
  const [completed = "", failed = "", long = ""] = runIds;
  expect((await waitForRun(service, completed)).status).toBe("completed");
  expect((await waitForRun(service, failed)).status).toBe("failed");
  expect((await waitForRun(service, long)).status).toBe("failed");

  const ofRun = (part: string) => runIds.map((id) => `/runs/${id}${part}`);
  /** The paths of each operation that answers GET, by its id in the OpenAPI document. */
  const api: Record<string, string[]> = {
    listDeliveries: ["/deliveries", "/deliveries?text=Lovelace", `/deliveries?text=${patient.email}`],
    exportDeliveries: ["/deliveries/export"],
    getDelivery: deliveries.map((id) => `/deliveries/${id}`),
    explainDelivery: deliveries.map((id) => `/deliveries/${id}/verdicts`),
    // The payloads have no files, and the feed is read below.
    getDeliveryFile: [`/deliveries/${first}/files/0`],
    followDeliveries: [],
    listRuns: ["/runs", "/runs?text=Lovelace", `/runs?text=${patient.email}`],
    countRuns: ["/runs/count?text=Lovelace"],
    sumUsage: ["/runs/usage"],
    simulateFlow: ["/flow/simulation?target=admit&perKey=1&onFailure=block"],
    exportRuns: ["/runs/export?format=csv", "/runs/export?format=jsonl"],
    getRun: ofRun(""),
    listTimeline: ofRun("/timeline"),
    listSteps: ofRun("/steps"),
    streamRunEvents: ofRun("/events"),
    getAgentTrace: ofRun("/agent"),
    listTriggers: ["/triggers"],
    inferTrigger: ["/inferred-trigger?endpoint=patients", `/inferred-trigger?endpoint=patients&delivery=${first}`],
    readDrift: ["/drift", "/drift?endpoint=patients"],
    backtest: ["/backtest", "/backtest?endpoint=patients"],
    triggerUrl: ["/url?for=patients"],
    listBuilds: ["/builds"],
    listKeys: ["/keys"],
    listPeople: ["/people"],
    listAudit: ["/audit"],
    listAlerts: ["/alerts"],
    getAccess: ["/access"],
    openapi: ["/openapi.json"],
  };
  const read = async (path: string) => {
    const text = await (await fetch(url + path)).text();
    search(path, text);
    return text;
  };
  /** Bodies are base64 in JSON. */
  const searchBodies = (where: string, text: string) => {
    for (const [, body = ""] of text.matchAll(/"body":"([^"]+)"/g))
      search(`the body in ${where}`, Buffer.from(body, "base64").toString());
  };
  const document = await getJson<{ paths: Record<string, { get?: { operationId: string } }> }>(
    `${url}/api/v1/openapi.json`,
  );
  const offered = Object.entries(document.paths).flatMap(([path, { get }]) =>
    get && path.startsWith("/api/") ? [get.operationId] : [],
  );
  expect(Object.keys(api).sort()).toEqual(offered.sort());
  for (const path of Object.values(api).flat()) searchBodies(path, await read(`/api/v1${path}`));
  const feed = await readFeed(url, deliveries.slice(0, 3));
  search("the feed", feed);
  searchBodies("the feed", feed);
  for (const path of ["/metrics", "/healthz", "/readyz"]) await read(path);
  for (const path of [
    "/",
    "/deliveries",
    `/deliveries/${first}`,
    "/runs",
    `/runs/${completed}`,
    `/runs/${failed}`,
    `/runs/${long}`,
    "/alerts",
  ])
    await read(path);
  await vi.waitFor(async () => {
    const { data } = await getJson<{ data: Alert[] }>(`${url}/api/v1/alerts`);
    expect(data.map(({ kind }) => kind)).toContain("run_failed");
  }, waiting);
  expect(await read("/api/v1/alerts")).toContain("no bed for");
  await vi.waitFor(() => expect(receiver.bodies.join("\n")).toContain("no bed for"), waiting);

  const tools: Record<string, Record<string, unknown>> = {
    list_triggers: { trigger: "patient" },
    explain_delivery: { id: first },
    search_deliveries: { since: "1d", text: "Lovelace" },
    // Says of a body of the caller what the triggers make of it.
    test_trigger: { endpoint: "patients", body: { id: 1 } },
    backtest: { since: "1d" },
    infer_schema: { endpoint: "patients" },
    get_run: { id: failed },
    search_docs: { query: "sensitive" },
  };
  const client = new Client({ name: "e2e", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
  const offeredTools = (await client.listTools()).tools.filter(({ annotations }) => annotations?.readOnlyHint);
  expect(Object.keys(tools).sort()).toEqual(offeredTools.map(({ name }) => name).sort());
  for (const [name, input] of Object.entries(tools)) {
    const result = await client.callTool({ name, arguments: input });
    expect([name, result.isError ?? false, JSON.stringify(result)]).toEqual([name, false, expect.any(String)]);
    search(`the tool ${name}`, JSON.stringify(result));
  }

  const cli = (...args: string[]) => {
    const { stdout, stderr } = signalbox(args, { cwd: projectDir });
    search(args.join(" "), stdout + stderr);
    return stdout;
  };
  expect(cli("deliveries", "get", first)).toContain("example.com");
  for (const id of runIds) cli("runs", "get", id);
  cli("runs", "list");
  cli("deliveries", "list");
  cli("triggers", "drift");
  cli("doctor");
  cli("fixtures", "pull", "patients");
  // Encrypted in the store, and in its backup.
  cli("backup", "backup.db");
  const stateDir = join(projectDir, ".signalbox");
  const stored = readdirSync(stateDir).filter((name) => name.startsWith("signalbox.db"));
  expect(stored).toContain("signalbox.db-wal");
  for (const file of [join(projectDir, "backup.db"), ...stored.map((name) => join(stateDir, name))])
    search(file, readFileSync(file, "latin1"));
  const fixtures = join(projectDir, "fixtures", "patients");
  for (const file of readdirSync(fixtures)) search(`fixtures/${file}`, readFileSync(join(fixtures, file), "utf8"));

  // What the pages load and show, until the person reveals it.
  const { page, errors } = await visit(url);
  page.on(
    "response",
    (response) =>
      void response.text().then(
        (text) => search(response.url(), text),
        () => {},
      ),
  );
  await page.goto(`${url}/deliveries/${first}`);
  await page.getByText(/Sensitive values of this delivery are masked/).waitFor();
  await page.goto(`${url}/runs/${failed}`);
  await page.getByText(/Sensitive values of this run are masked/).waitFor();
  search("the page of the run", await page.content());
  expect(found).toEqual([]);

  await page.getByRole("button", { name: "Reveal" }).click();
  // One click reveals the payload, the error, the timeline with its logs, and the results of the steps.
  await page.getByText(`no bed for ${patient.email} by ${headers["x-clinic-user"]}`).first().waitFor();
  await expectSoundPage(page, "a revealed run");
  await page.getByRole("button", { name: /^step greet, done/ }).click();
  await page.getByRole("region", { name: "Result of greet" }).getByText(`Dear ${patient.name}`).waitFor();
  await page.getByRole("tab", { name: /^Logs/ }).click();
  await page.getByText(`admitting Dear ${patient.name}`).first().waitFor();
  await page.getByRole("button", { name: "Mask again" }).click();
  await page.getByText(/Sensitive values of this run are masked/).waitFor();
  expect(await page.content()).not.toMatch(canary);
  await page.goto(`${url}/deliveries/${first}`);
  await page.getByRole("button", { name: "Reveal" }).click();
  await page.getByText(patient.name).first().waitFor();
  expect(errors).toEqual([]);
  expect(cli("runs", "get", completed, "--reveal")).toMatch(canary);
  const { data } = await getJson<{ data: { action: string; subject: string }[] }>(`${url}/api/v1/audit`);
  expect(
    data.filter(({ action }) => action.endsWith(".revealed")).map(({ action, subject }) => [action, subject]),
  ).toEqual([
    ["run.revealed", completed],
    ["delivery.revealed", first],
    ["run.revealed", failed],
  ]);

  found.length = 0;
  expect(await service.stop()).toBe(0);
  search("the terminal", service.output());
  search("the messages of alerts", receiver.bodies.join("\n"));
  expect(collector.spans.map(({ name }) => name)).toContain("step find a bed");
  search("spans", JSON.stringify(collector.spans));
  expect(JSON.stringify(collector.spans)).toContain("no bed for [masked]");
  expect(found).toEqual([]);
});
