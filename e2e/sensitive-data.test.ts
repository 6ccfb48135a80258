import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
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
const waiting = { timeout: 60_000, interval: 200 };

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

test("a sensitive value is in no page, answer, export, feed, log, span, alert, file or encrypted store, and is found after an audited reveal", async () => {
  const collector = await startCollector();
  const projectDir = writeProject(project);
  symlinkSync(join(repository, "node_modules/@opentelemetry"), join(projectDir, "node_modules/@opentelemetry"));
  const service = await startService({
    projectDir,
    command: "dev",
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, SIGNALBOX_LOG_LEVEL: "debug" },
  });
  const { url } = service;
  const found: string[] = [];
  const search = (where: string, text: string) => void (canary.test(text) && found.push(where));

  const post = async (body: unknown, sent: Record<string, string> = headers) =>
    postJson(`${url}/triggers/patients`, body, sent);
  const deliveries: string[] = [];
  const runIds: string[] = [];
  for (const id of ["ok", "fails"]) {
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
  const [completed = "", failed = ""] = runIds;
  expect((await waitForRun(service, completed)).status).toBe("completed");
  expect((await waitForRun(service, failed)).status).toBe("failed");

  const api = [
    "/deliveries",
    "/deliveries/export",
    "/deliveries?text=Lovelace",
    ...deliveries.flatMap((id) => [`/deliveries/${id}`, `/deliveries/${id}/verdicts`]),
    "/runs",
    "/runs?text=Lovelace",
    "/runs/export?format=csv",
    "/runs/export?format=jsonl",
    ...runIds.flatMap((id) => ["", "/timeline", "/events", "/steps", "/agent"].map((part) => `/runs/${id}${part}`)),
    "/triggers",
    "/drift",
    "/backtest",
    "/audit",
  ];
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
  for (const path of api) searchBodies(path, await read(`/api/v1${path}`));
  const feed = await readFeed(url, deliveries.slice(0, 3));
  search("the feed", feed);
  searchBodies("the feed", feed);
  await read("/metrics");
  for (const path of [
    "/",
    "/deliveries",
    `/deliveries/${first}`,
    "/runs",
    `/runs/${completed}`,
    `/runs/${failed}`,
    "/alerts",
  ])
    await read(path);
  await vi.waitFor(async () => {
    const { data } = await getJson<{ data: Alert[] }>(`${url}/api/v1/alerts`);
    expect(data.map(({ kind }) => kind)).toContain("run_failed");
  }, waiting);
  expect(await read("/api/v1/alerts")).toContain("no bed for");

  const cli = (...args: string[]) => {
    const { stdout, stderr } = signalbox(args, { cwd: projectDir });
    search(args.join(" "), stdout + stderr);
    return stdout;
  };
  expect(cli("deliveries", "get", first)).toContain("example.com");
  cli("runs", "get", failed);
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
  expect(collector.spans.map(({ name }) => name)).toContain("step find a bed");
  search("spans", JSON.stringify(collector.spans));
  expect(JSON.stringify(collector.spans)).toContain("no bed for [masked]");
  expect(found).toEqual([]);
});
