import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright";
import { describe, expect } from "vitest";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { copyStarter } from "./support/project.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { signalbox, startService, withSharedService } from "./support/service.ts";

/**
 * Beside the example project: a workflow that fails when asked to, a disabled trigger, and a schema with
 * hostile names.
 */
const files = {
  "workflows/breaks.ts": `import { defineWorkflow } from "signalbox/workflow"; import { z } from "zod"; export default defineWorkflow({ slug: "breaks", input: z.object({ isBroken: z.boolean() }), retries: { attempts: 1 }, run({ isBroken }) { if (isBroken) throw new Error("broken"); } });`,
  "triggers/breaks.ts": `import { defineWebhookSource } from "signalbox/trigger"; import { z } from "zod"; import breaks from "../workflows/breaks"; export default defineWebhookSource({ slug: "breaks", endpoint: "breaks", request: z.object({ isBroken: z.boolean() }) }).attach({ workflow: breaks });`,
  "workflows/log.ts": `import { defineWorkflow } from "signalbox/workflow"; import { z } from "zod"; export default defineWorkflow({ slug: "log", input: z.json(), run() {} });`,
  "triggers/log.ts": `import { defineWebhookSource } from "signalbox/trigger"; import { z } from "zod"; import log from "../workflows/log";
    export default defineWebhookSource({ slug: "log", endpoint: "log", request: z.object({ "<img src=x onerror=alert(1)>": z.literal("<svg onload=alert(2)>"), "\\u202Ekey": z.string().describe("<b>bold</b>") }) }).attach({ workflow: log, transform: () => null });`,
  "triggers/newsletter.ts": `import { defineWebhookSource } from "signalbox/trigger"; import { z } from "zod"; import log from "../workflows/log"; export default defineWebhookSource({ slug: "newsletter", endpoint: "newsletter", request: z.object({ name: z.string(), email: z.email() }) }).attach({ workflow: log });`,
};

/** The project of the shared service. */
let projectDir = "";
const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });

const it = withSharedService((onCleanup) => {
  projectDir = copyStarter(onCleanup);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(projectDir, path), text);
  return { projectDir, command: "dev" };
});

const patient = { timeout: 180_000 };

const sheet = (page: Page, name: string) => page.getByRole("complementary", { name, exact: true });

describe("the sheet of a node", () => {
  it("opens for each kind of node, links to related nodes, and restores the focus when Esc closes it", async ({
    service,
  }) => {
    const { page, errors, foreignRequests } = await visit(service.url);
    await page.goto(`${service.url}/?node=endpoint:billing&window=24h`);
    const endpoint = sheet(page, "endpoint billing");
    await endpoint.getByText(`${service.url}/triggers/billing`, { exact: true }).waitFor();
    await endpoint.getByRole("link", { name: "large-invoice", exact: true }).click();
    const trigger = sheet(page, "trigger large-invoice");
    await trigger.getByText("≥ 1,000,000").first().waitFor();
    await trigger.getByRole("link", { name: "notify-finance" }).first().click();
    const target = sheet(page, "workflow notify-finance");
    await target.getByText(/attempts?, /).waitFor();
    expect(new URL(page.url()).searchParams.get("window")).toBe("24h");
    await page.goBack();
    await trigger.waitFor();
    await page.keyboard.press("Escape");
    await trigger.waitFor({ state: "detached" });
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  it("shows the tab of the URL, also after a reload and where the row is too narrow for all tabs", async ({
    service,
  }) => {
    const { page, errors } = await visit(service.url, { reducedMotion: "reduce" });
    const tabs = {
      "endpoint:signup": ["Connect", "Try a body"],
      "trigger:new-signup": ["Send test event", "Deliveries", "Schema"],
      "workflow:welcome-email": ["Run", "Runs", "Schema"],
    };
    for (const [node, names] of Object.entries(tabs)) {
      await page.goto(`${service.url}/?node=${node}`);
      for (const name of names) {
        const before = new URL(page.url()).searchParams.get("tab");
        await page.getByRole("tab", { name, exact: true }).click();
        await page.waitForURL(({ searchParams }) => searchParams.get("tab") !== before);
        await page.reload();
        await page.getByRole("tab", { name, exact: true, selected: true }).waitFor();
      }
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${service.url}/?node=trigger:new-signup&tab=backtest`);
    const last = page.getByRole("tab", { name: "Backtest", selected: true });
    await expect
      .poll(async () => {
        const { x, width } = (await last.boundingBox()) ?? { x: 0, width: 390 };
        return x + width;
      }, patient)
      .toBeLessThan(390);
    expect(errors).toEqual([]);
  });

  it("of a removed node says so, and suggests the most similar one", async ({ service }) => {
    const { page, errors } = await visit(service.url, { reducedMotion: "reduce" });
    await page.goto(`${service.url}/?node=trigger:invoice-pad`);
    await page.getByText("Unknown trigger").waitFor();
    await page.getByRole("link", { name: "invoice-paid", exact: true }).click();
    await sheet(page, "trigger invoice-paid").getByRole("tab", { name: "Overview", selected: true }).waitFor();
    expect(errors).toEqual([]);
  });
});

describe("the switch of a trigger", () => {
  it("disables it in its sheet after confirmation: webhooks are skipped with the reason, the canvas and the command line show it; and enables it again", async ({
    service,
  }) => {
    const { page, errors } = await visit(service.url, { reducedMotion: "reduce" });
    const send = () => postJson(`${service.url}/triggers/newsletter`, { name: "Ada", email: "ada@example.com" });
    await page.goto(`${service.url}/?node=trigger:newsletter`);
    const trigger = sheet(page, "trigger newsletter");
    await trigger.getByRole("button", { name: "Disable" }).click();
    const question = page.getByRole("dialog", { name: "Disable newsletter?" });
    await question.getByLabel("Reason (optional)").fill("the mail server is down");
    await question.getByRole("button", { name: "Disable" }).click();
    await trigger.getByText(/^Disabled/).waitFor();
    const skipped = await send();
    expect([skipped.status, await skipped.json()]).toEqual([200, { ok: true, skipped: true }]);
    await page.getByRole("link", { name: /^Trigger newsletter, disabled/ }).waitFor();
    expect(cli("triggers", "list").stdout).toMatch(/– disabled +newsletter/);
    await page.goto(`${service.url}/deliveries/${skipped.headers.get("signalbox-delivery")}`);
    await page
      .getByText(/: the mail server is down$/)
      .first()
      .waitFor();
    await page.getByText("disabled", { exact: true }).first().waitFor();
    expect(await page.getByRole("table", { name: "Trigger verdicts" }).textContent()).not.toMatch(/whole body|missing/);

    // The command line is another process: its switch applies to the next webhook, and the page shows it without a
    // reload.
    await page.goto(`${service.url}/?node=trigger:newsletter`);
    await trigger.getByRole("button", { name: "Enable" }).waitFor();
    expect(cli("triggers", "enable", "newsletter").status).toBe(0);
    expect((await send()).status).toBe(202);
    await trigger.getByRole("button", { name: "Disable" }).waitFor();
    expect(errors).toEqual([]);
  });
});

describe("the sheet of a workflow", () => {
  it("shows that most runs failed, with another mark than for success", async ({ service }) => {
    const run = async (isBroken: boolean) =>
      waitForRun(
        service,
        ((await (await postJson(`${service.url}/triggers/breaks`, { isBroken })).json()) as { runId: string }).runId,
      );
    await run(true);
    const { page, errors } = await visit(service.url, { reducedMotion: "reduce" });
    await page.goto(`${service.url}/?node=workflow:breaks`);
    const pill = sheet(page, "workflow breaks").locator("header");
    await pill.getByText(/^1 run · most failed · last /).waitFor();
    expect(await pill.locator("svg.lucide-circle-check").count()).toBe(0);
    await run(false);
    await run(false);
    await pill.getByText(/^3 runs · some failed · last /).waitFor();
    expect(await pill.locator("svg.lucide-circle-check").count()).toBe(0);
    expect(errors).toEqual([]);
  });
});

describe("the sheet of an endpoint", () => {
  it("shows each trigger's verdict on a pasted body while it is edited, and where it is invalid JSON; sends nothing", async ({
    service,
  }) => {
    const deliveries = () => getJson<{ data: unknown[] }>(`${service.url}/api/v1/deliveries`);
    const before = await deliveries();
    const { page, errors } = await visit(service.url, { reducedMotion: "reduce" });
    await page.goto(`${service.url}/?node=endpoint:billing&tab=try`);
    const box = page.getByRole("textbox", { name: "JSON body" });
    const invoice = { number: "1", customer: "c", amount: -5, currency: "eur" };
    await box.fill(JSON.stringify({ id: "evt_1", type: "invoice.paid", invoice }));
    const verdicts = page.getByRole("list", { name: "Trigger verdicts" });
    await verdicts.getByText("/invoice/amount expected ≥ 0, was -5").first().waitFor();
    await box.fill(JSON.stringify({ id: "evt_1", type: "invoice.paid", invoice: { ...invoice, amount: 2_000_000 } }));
    await verdicts.getByText("would fire").nth(1).waitFor();
    expect(await verdicts.getByText("would fire").count()).toBe(2);
    await box.fill('{\n  "id": 1,,\n}');
    await page.getByText(/^Line 2, column 11: /).waitFor();
    await page.getByRole("button", { name: "Go to error" }).click();
    await expect.poll(() => box.evaluate((field: HTMLTextAreaElement) => field.selectionStart), patient).toBe(12);
    expect(await deliveries()).toEqual(before);
    expect(errors).toEqual([]);
  });

  it("deployed, shows the key only on request, and copies a working URL", async () => {
    const folder = copyStarter();
    const inFolder = (...args: string[]) => signalbox([...args, "--project", folder], { cwd: folder });
    expect(inFolder("build").status).toBe(0);
    const service = await startService({ projectDir: folder, command: "start" });
    const token = new URL(inFolder("triggers", "url", "new-signup").stdout.trim()).searchParams.get("token") ?? "";
    const { page, errors } = await visit(service.url, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(service.url);
    await signInWithToken(
      page,
      (JSON.parse(inFolder("keys", "create", "--api", "--scope", "admin", "--json").stdout) as { secret: string })
        .secret,
    );
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.goto(`${service.url}/?node=endpoint:signup`);
    const endpoint = sheet(page, "endpoint signup");
    await endpoint.getByText("?token=").first().waitFor();
    expect(await page.content()).not.toContain(token);
    await endpoint.getByRole("button", { name: "Show the key" }).click();
    await endpoint.getByText(`?token=${token}`).waitFor();
    await endpoint.getByRole("button", { name: "Copy the URL of signup with its key" }).click();
    await endpoint.getByText("Copied").first().waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect((await postJson(copied, { name: "Ada", email: "ada@example.com" })).status).toBe(202);
    await endpoint.getByRole("button", { name: "Hide the key" }).click();
    expect(await page.content()).not.toContain(token);
    expect(errors).toEqual([]);
  });
});

describe("the sheet of a trigger", () => {
  it("sends a test event, and the run that it starts is shown", async ({ service }) => {
    const { page, errors } = await visit(service.url, { reducedMotion: "reduce" });
    await page.goto(`${service.url}/?node=trigger:new-signup`);
    await page.getByText("No matching deliveries yet").waitFor();
    await page
      .locator("pre", { hasText: `curl -i ${service.url}/triggers/signup` })
      .first()
      .waitFor();
    await page.getByRole("tab", { name: "Send test event" }).click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.waitForURL("**/runs/run_*");
    const run = await waitForRun(service, new URL(page.url()).pathname.slice("/runs/".length));
    expect(run).toMatchObject({ status: "completed", trigger: "new-signup", startedBy: "form" });
    expect(errors).toEqual([]);
  });

  it("shows hostile names, titles and values in a schema as text", async ({ service }) => {
    const { page, errors } = await visit(service.url, { reducedMotion: "reduce" });
    for (const tab of ["overview", "schema", "test"]) {
      await page.goto(`${service.url}/?node=trigger:log&tab=${tab}`);
      await sheet(page, "trigger log").getByText("<img src=x onerror=alert(1)>").first().waitFor();
      expect(await page.locator("img[src=x], svg[onload], b:text-is('bold')").count()).toBe(0);
    }
    await page.goto(`${service.url}/?node=trigger:log&tab=schema`);
    await page
      .getByText(String.raw`\u202ekey`)
      .first()
      .waitFor();
    expect(errors).toEqual([]);
  });
});
