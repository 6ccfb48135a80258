import { execFileSync } from "node:child_process";
import type { Page } from "playwright";
import { describe, expect } from "vitest";
import type { Run } from "../server/contract/run.ts";
import { getJson, waitForRun } from "./support/api.ts";
import { messagesOf, visit } from "./support/browser.ts";
import { writeProject } from "./support/project.ts";
import { type Service, withSharedService } from "./support/service.ts";

const it = withSharedService((onCleanup) => ({ projectDir: writeProject(files, onCleanup), command: "dev" }));

/** The browser's own message about a rejected call. */
const rejection = "Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)";

const patient = { timeout: 180_000 };

const schema = `z.object({
  id: z.string().min(1),
  amount: z.int().min(0),
  rate: z.number().optional(),
  currency: z.enum(["eur", "usd", "gbp"]),
  email: z.email(),
  paid: z.boolean(),
  note: z.string().nullable(),
  retries: z.int().default(3),
  tags: z.array(z.string()).max(3),
  labels: z.record(z.string(), z.string()),
  method: z.discriminatedUnion("type", [z.object({ type: z.literal("card"), last4: z.string().length(4) }), z.object({ type: z.literal("sepa"), iban: z.string().min(8) })]),
  meta: z.unknown().optional(),
  size: z.union([z.int(), z.string()]).optional(),
})`;

const files = {
  "workflows/book.ts": `import { defineWorkflow } from "signalbox/workflow";\nimport { z } from "zod";\nexport default defineWorkflow({ slug: "book", input: ${schema}, async run(input) { return { booked: input.amount }; } });\n`,
  "workflows/tell.ts": `import { defineWorkflow } from "signalbox/workflow";\nimport { z } from "zod";\nexport default defineWorkflow({ slug: "tell", input: z.object({ amount: z.number() }), async run() {} });\n`,
  "workflows/odd.ts": `import { defineWorkflow } from "signalbox/workflow";\nimport { z } from "zod";\nexport default defineWorkflow({ slug: "odd", input: z.object({ mark: z.string().regex(/^..$/), unit: z.literal("KG"), currency: z.string().toLowerCase().pipe(z.enum(["eur"])) }), async run() {} });\n`,
  "triggers/large.ts": `import { defineWebhookSource } from "signalbox/trigger";\nimport { z } from "zod";\nimport tell from "../workflows/tell";\nexport default defineWebhookSource({ slug: "large", endpoint: "billing", request: z.object({ amount: z.number().min(1000) }) }).attach({ workflow: tell });\n`,
  "triggers/only.ts": `import { defineWebhookSource } from "signalbox/trigger";\nimport { z } from "zod";\nimport tell from "../workflows/tell";\nexport default defineWebhookSource({ slug: "only", endpoint: "single", request: z.object({ amount: z.number() }) }).attach({ workflow: tell });\n`,
  "triggers/sms.ts": `import { defineWebhookSource } from "signalbox/trigger";\nimport { z } from "zod";\nimport tell from "../workflows/tell";\nexport default defineWebhookSource({ slug: "sms", endpoint: "sms", methods: ["GET"], request: z.object({ text: z.string() }) }).attach({ workflow: tell, transform: ({ text }) => ({ amount: text.length }) });\n`,
  "triggers/topics.ts": `import { defineWebhookSource } from "signalbox/trigger";\nimport { z } from "zod";\nimport tell from "../workflows/tell";\nexport default defineWebhookSource({ slug: "topics", endpoint: "orders/topics", headers: z.object({ "x-event": z.literal("order") }), query: z.object({ topic: z.enum(["refunds", "returns"]), tag: z.array(z.string()).optional() }), request: z.object({ amount: z.number() }) }).attach({ workflow: tell });\n`,
  "triggers/paid.ts": `import { defineWebhookSource } from "signalbox/trigger";\nimport { z } from "zod";\nimport book from "../workflows/book";\nexport default defineWebhookSource({ slug: "paid", endpoint: "billing", request: ${schema}, filter: z.object({ amount: z.number().min(10) }) }).attach({ workflow: book });\n`,
};

const good = {
  id: "in_1",
  amount: 50,
  currency: "eur",
  email: "ada@example.com",
  paid: true,
  note: null,
  retries: 3,
  tags: ["a"],
  labels: {},
  method: { type: "card", last4: "4242" },
};

async function openForm(service: Service, path: string, permissions: string[] = []) {
  const visited = await visit(service.url, { viewport: { width: 1440, height: 1000 }, permissions });
  await visited.page.goto(service.url + path);
  await visited.page.getByRole("button", { name: "Copy as curl" }).waitFor();
  return visited;
}

/** The ids of all runs. A test compares them to find the runs that it started. */
async function runIds(service: Service): Promise<string[]> {
  return (await getJson<{ data: Run[] }>(`${service.url}/api/v1/runs?limit=100`)).data.map(({ id }) => id);
}

const view = (page: Page, name: "Form" | "JSON") => page.getByRole("radio", { name, exact: true }).check();
const textArea = (page: Page) => page.getByRole("textbox", { name: "JSON", exact: true });
const field = (page: Page, name: string) =>
  page.getByRole("textbox", { name: new RegExp(`^${name.replaceAll(/[.[\]]/g, String.raw`\$&`)} `) });

/** The text of the editor: its lines. A text that is longer than the window is drawn in part. */
async function textIn(page: Page): Promise<string> {
  await page.locator(".cm-content").waitFor();
  return (await page.locator(".cm-line").allTextContents()).join("\n");
}

/** The draft as text. Switches to the JSON view and back. */
async function draftOf(page: Page): Promise<string> {
  await view(page, "JSON");
  const text = await textIn(page);
  await view(page, "Form");
  return text;
}

async function writeDraft(page: Page, text: string): Promise<void> {
  await view(page, "JSON");
  // A text area takes its place while it is loaded.
  await page.locator(".cm-content").waitFor();
  await textArea(page).fill(text);
  await view(page, "Form");
}

/** Copies the command of a form, runs it in a shell, and returns it with the run that it started. */
async function runCurl(service: Service, page: Page): Promise<{ command: string; run: Run }> {
  // The command of an earlier test would have the same address.
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.getByRole("button", { name: "Copy as curl" }).click();
  // Tests of other files use the same clipboard.
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), patient).toContain(service.url);
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const answer = execFileSync("sh", ["-c", command], { encoding: "utf8" });
  const { runId } = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as { runId: string };
  return { command, run: await waitForRun(service, runId) };
}

async function inputOfRunAt(service: Service, page: Page): Promise<Run> {
  await page.waitForURL("**/runs/run_*");
  return waitForRun(service, new URL(page.url()).pathname.split("/").at(-1) ?? "");
}

describe("the form of a trigger", () => {
  it("sends a delivery, links to its run and shows it end; a filter mismatch starts no run, and its delivery has the reason", async ({
    service,
  }) => {
    const before = await runIds(service);
    const { page, errors, foreignRequests } = await openForm(service, "/?node=trigger:paid&tab=test");
    await writeDraft(page, JSON.stringify({ ...good, amount: 5 }));
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.waitForURL("**/deliveries/dlv_*");
    await page.getByRole("cell", { name: "filter mismatch" }).waitFor();
    expect(await runIds(service)).toEqual(before);
    await page.goBack();
    await field(page, "amount").fill("50");
    await page.getByText("fires book").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const run = await inputOfRunAt(service, page);
    expect([run.status, run.startedBy, run.payload]).toEqual(["completed", "form", good]);
    await page.getByText("completed").first().waitFor();
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  it("starts the announced runs: every trigger on the endpoint evaluates the delivery, which is shown and counted with its two runs", async ({
    service,
  }) => {
    const before = await runIds(service);
    const { page, errors } = await openForm(service, "/?node=trigger:paid&tab=test");
    await writeDraft(page, JSON.stringify({ ...good, amount: 5000 }));
    const promise = page.getByRole("region", { name: "Preview" });
    await promise.getByText("fires book").waitFor();
    await promise.getByText("fires tell").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.waitForURL("**/deliveries/dlv_*");
    await page.getByText("2 evaluated · 2 fired").waitFor();
    const sent = new URL(page.url()).pathname.split("/").at(-1);
    await page.getByText("a form in the app").waitFor();
    const { data } = await getJson<{ data: Run[] }>(`${service.url}/api/v1/runs?limit=100`);
    const runs = data.filter(({ id }) => !before.includes(id));
    expect(runs.map(({ trigger, startedBy }) => [trigger, startedBy]).toSorted()).toEqual([
      ["large", "form"],
      ["paid", "form"],
    ]);
    await page.goBack();
    await page.getByRole("button", { name: "Only this trigger" }).click();
    const alone = await inputOfRunAt(service, page);
    expect([alone.trigger, alone.startedBy]).toEqual(["paid", "form"]);
    await page.goto(`${service.url}/deliveries/${alone.deliveryId}`);
    await page.getByText("a form in the app, to paid only").waitFor();
    await page.getByText("1 evaluated · 1 fired").waitFor();
    expect(new Set(runs.map(({ deliveryId }) => deliveryId))).toEqual(new Set([sent]));
    await page.goto(`${service.url}/?node=trigger:large`);
    await page
      .getByRole("complementary")
      .getByText(/^1 fired/)
      .first()
      .waitFor();
    expect(errors).toEqual([]);
  });

  it("stays open when the endpoint rejects the delivery, and shows the sender's response", async ({ service }) => {
    const { page, errors } = await openForm(service, "/?node=trigger:only&tab=test");
    await view(page, "JSON");
    await textArea(page).fill('{"amount": "a lot"}');
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("The endpoint responded with 422. No run was started").waitFor();
    await page.getByRole("alert").getByText("/amount").waitFor();
    await page.getByRole("link", { name: "Open delivery" }).click();
    await page.waitForURL("**/deliveries/dlv_*");
    await page.getByText("422, reconstructed from the stored delivery").waitFor();
    expect(errors).toEqual([]);
  });

  it("copies a command that sends the same body", async ({ service }) => {
    const { page, errors } = await openForm(service, "/?node=trigger:paid&tab=test", [
      "clipboard-read",
      "clipboard-write",
    ]);
    const body = { ...good, id: `it's "$HOME" \`id\` \\ %s` };
    await writeDraft(page, JSON.stringify(body));
    expect((await runCurl(service, page)).run.payload).toEqual(body);
    expect(errors).toEqual([]);
  });

  it("sends the headers and the query that its trigger reads, also by the copied command, and takes them from a delivery", async ({
    service,
  }) => {
    const { page, errors } = await openForm(service, "/?node=trigger:topics&tab=test", [
      "clipboard-read",
      "clipboard-write",
    ]);
    const preview = page.getByRole("region", { name: "Preview" });
    const topic = page.getByRole("group", { name: "Query" }).getByLabel("topic");
    const tag = page.getByRole("group", { name: "Query" }).getByLabel("tag");
    const event = page.getByRole("group", { name: "Headers" }).getByLabel("x-event");
    await preview.getByText("fires tell").waitFor();
    expect([await topic.inputValue(), await tag.inputValue(), await event.inputValue()]).toEqual([
      "refunds",
      "",
      "order",
    ]);
    await topic.fill("other");
    await preview.getByText(/query: \/topic/).waitFor();
    await topic.fill("returns");
    await tag.fill("a b\nc&d");
    await preview.getByText("fires tell").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const { deliveryId } = await inputOfRunAt(service, page);
    const { headers } = await getJson<{ headers: Record<string, string> }>(
      `${service.url}/api/v1/deliveries/${deliveryId}`,
    );
    expect(headers["signalbox-query"]).toBe("tag=a+b&tag=c%26d&topic=returns");
    await page.goto(`${service.url}/?node=trigger:topics&tab=test&from=${deliveryId}`);
    await expect.poll(() => topic.inputValue(), patient).toBe("returns");
    expect([await tag.inputValue(), await event.inputValue()]).toEqual(["a b\nc&d", "order"]);
    const { command, run } = await runCurl(service, page);
    expect(command).toContain("/triggers/orders/topics?topic=returns&tag=a+b&tag=c%26d");
    expect([run.trigger, run.status]).toEqual(["topics", "completed"]);
    await page.goto(`${service.url}/?node=endpoint:orders/topics&tab=try`);
    await page.getByLabel("JSON body").fill('{"amount": 1}');
    await page.getByLabel("Headers").fill("X-Event: order");
    await page.getByLabel("Query").fill("?topic=other#");
    await page.getByText("query mismatch").waitFor();
    await page.getByRole("button", { name: "Start from a recent delivery" }).click();
    await page.getByRole("menuitem").first().click();
    await page.getByText("would fire").waitFor();
    expect(await page.getByLabel("Query").inputValue()).toBe("tag=a+b&tag=c%26d&topic=returns");
    expect(errors).toEqual([]);
  });

  it("sends the body as the query if the endpoint accepts only GET", async ({ service }) => {
    const { page, errors } = await openForm(service, "/?node=trigger:sms&tab=test", [
      "clipboard-read",
      "clipboard-write",
    ]);
    expect(await page.getByRole("group", { name: "Query" }).count()).toBe(0);
    await field(page, "text").fill("a b&c");
    const { command, run } = await runCurl(service, page);
    expect(command).toMatch(/^curl -i '[^']*\/triggers\/sms\?(?:token=\w+&)?text=a\+b%26c'$/);
    expect(run.payload).toEqual({ text: "a b&c" });
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const sent = await inputOfRunAt(service, page);
    expect([sent.payload, sent.startedBy]).toEqual([{ text: "a b&c" }, "form"]);
    expect(errors).toEqual([]);
  });

  it("keeps presets by name, and an unsent draft over a reload", async ({ service }) => {
    const { page, errors } = await openForm(service, "/?node=trigger:paid&tab=test");
    await writeDraft(page, JSON.stringify({ ...good, id: "kept" }));
    await page.getByRole("button", { name: "Start from" }).click();
    await page.getByRole("menuitem", { name: "Save as preset…" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Ada's");
    await page.getByRole("button", { name: "Save preset", exact: true }).click();
    await messagesOf(page).getByText(`Preset "Ada's" is saved`).waitFor();
    await field(page, "id").fill("other");
    await page.reload();
    await expect.poll(() => field(page, "id").inputValue(), patient).toBe("other");
    await page.getByRole("button", { name: "Start from" }).click();
    const [first] = await page.getByRole("menuitem").allTextContents();
    expect(first).toMatch(/^Ada's\{"id":"kept","amount":50/);
    await page.getByRole("menuitem", { name: /Ada's/ }).click();
    await expect.poll(() => field(page, "id").inputValue(), patient).toBe("kept");
    expect(errors).toEqual([]);
  });
});

describe("the form of a workflow", () => {
  it("runs it by keyboard alone", async ({ service }) => {
    const { page, errors } = await openForm(service, "/?node=workflow:book&tab=run");
    await writeDraft(page, JSON.stringify({ ...good, id: "" }));
    await field(page, "id").focus();
    await page.keyboard.type("in_2");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("77");
    await page.keyboard.press("Control+Enter");
    expect(await inputOfRunAt(service, page)).toMatchObject({
      status: "completed",
      input: { ...good, id: "in_2", amount: 77 },
      output: { booked: 77 },
    });
    expect(errors).toEqual([]);
  });

  it("starts a run with a key, also by the copied command", async ({ service }) => {
    const { page, errors } = await openForm(service, "/?node=workflow:book&tab=run", [
      "clipboard-read",
      "clipboard-write",
    ]);
    await writeDraft(page, JSON.stringify(good));
    await page.getByRole("textbox", { name: "Key of the run" }).fill(" customer 7/ä ");
    const { run: copied } = await runCurl(service, page);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const run = await inputOfRunAt(service, page);
    expect([copied.key, run.key]).toEqual(["customer 7/ä", "customer 7/ä"]);
    await page.getByRole("link", { name: "customer 7/ä", exact: true }).waitFor();
    expect(errors).toEqual([]);
  });

  it("shows an error at each invalid field, focuses the first one, and starts no run", async ({ service }) => {
    const before = await runIds(service);
    const { page, errors } = await openForm(service, "/?node=workflow:book&tab=run");
    await writeDraft(
      page,
      JSON.stringify({
        id: "",
        amount: -5,
        rate: "12x",
        currency: "chf",
        email: "ada",
        paid: true,
        note: 5,
        tags: ["a", "b", "c", "d"],
        labels: { team: 1 },
        method: { type: "card", last4: "1" },
      }),
    );
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const said = [
      "Must not be empty. /id",
      "Must be 0 or more. /amount",
      "Must be a number. /rate",
      "Must be one of eur, usd, gbp. /currency",
      "Must be an email address. /email",
      "Must be a string or null. /note",
      "Must have at most 3 items. /tags",
      "Must be a string. /labels/team",
      "Must have at least 4 characters. /method/last4",
    ];
    for (const words of said) await page.getByRole("listitem").filter({ hasText: words }).first().waitFor();
    await expect
      .poll(
        () => page.evaluate(() => document.activeElement?.closest<HTMLElement>("[data-pointer]")?.dataset["pointer"]),
        patient,
      )
      .toBe("/id");
    await page.getByRole("button", { name: "/email" }).click();
    await expect
      .poll(() => field(page, "email").evaluate((element) => element === document.activeElement), patient)
      .toBe(true);
    expect(await runIds(service)).toEqual(before);
    expect(errors).toEqual([rejection]);
  });

  it("starts a run that Zod accepts, although the exported schema rejects it", async ({ service }) => {
    const { page, errors } = await openForm(service, "/?node=workflow:odd&tab=run");
    const input = { mark: "👍", unit: "KG", currency: "EUR" };
    await writeDraft(page, JSON.stringify(input));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    expect((await inputOfRunAt(service, page)).input).toEqual({ ...input, currency: "eur" });
    expect(errors).toEqual([]);
  });

  it("shows the issues that Zod finds, and none that only the exported schema has", async ({ service }) => {
    const { page, errors } = await openForm(service, "/?node=workflow:odd&tab=run");
    await writeDraft(page, JSON.stringify({ mark: "👍", unit: "kg", currency: "EUR" }));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("1 field is invalid.").waitFor();
    await page.getByRole("listitem").filter({ hasText: "/unit" }).first().waitFor();
    expect(errors).toEqual([rejection]);
  });

  it("sends no delivery that its trigger would reject", async ({ service }) => {
    const { page, errors } = await openForm(service, "/?node=trigger:only&tab=test");
    const count = async () =>
      (await getJson<{ data: unknown[] }>(`${service.url}/api/v1/deliveries?endpoint=single&limit=100`)).data.length;
    const before = await count();
    await writeDraft(page, JSON.stringify({ amount: "many" }));
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("listitem").filter({ hasText: "Must be a number. /amount" }).first().waitFor();
    expect(await count()).toBe(before);
    expect(errors).toEqual([]);
  });

  it("sends no empty string for an optional number that is added and left empty", async ({ service }) => {
    const before = await runIds(service);
    const { page, errors } = await openForm(service, "/?node=workflow:book&tab=run");
    await writeDraft(page, JSON.stringify({ ...good, size: "large" }));
    await page.getByRole("radio", { name: "integer" }).check();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("listitem").filter({ hasText: "Must be an integer. /size" }).first().waitFor();
    expect(await runIds(service)).toEqual(before);
    expect(JSON.parse(await draftOf(page))).toEqual(good);
    await field(page, "size").fill("12");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    expect((await inputOfRunAt(service, page)).input).toEqual({ ...good, size: 12 });
    expect(errors).toEqual([]);
  });

  it("keeps all values when an alternative is changed and changed back, also through the JSON view", async ({
    service,
  }) => {
    const { page, errors } = await openForm(service, "/?node=workflow:book&tab=run");
    await writeDraft(page, JSON.stringify(good));
    await page.getByRole("radio", { name: "sepa" }).check();
    await field(page, "method.iban").fill("DE0012345678");
    expect(JSON.parse(await draftOf(page))).toMatchObject({ method: { type: "sepa", iban: "DE0012345678" } });
    await page.getByRole("radio", { name: "card" }).check();
    await expect.poll(() => field(page, "method.last4").inputValue(), patient).toBe("4242");
    await page.getByRole("radio", { name: "sepa" }).check();
    await expect.poll(() => field(page, "method.iban").inputValue(), patient).toBe("DE0012345678");
    expect(errors).toEqual([]);
  });

  it("keeps values that only the JSON view can express, and text that is not JSON yet", async ({ service }) => {
    const { page, errors } = await openForm(service, "/?node=workflow:book&tab=run");
    const odd = '{"rate": 1e400, "retries": 12345678901234567890, "meta": {"b": 1, "1": 2, "b": 1.0}, "more": [-0]}';
    await writeDraft(page, odd);
    await expect.poll(() => field(page, "rate").inputValue(), patient).toBe("1e400");
    await field(page, "id").fill("x");
    const squeezed = (await draftOf(page)).replaceAll(/\s/g, "");
    expect(squeezed).toBe(`${odd.replaceAll(/\s/g, "").slice(0, -1)},"id":"x"}`);
    const broken = '{\n  "id": 1\n  "amount": 2\n}';
    await writeDraft(page, broken);
    await page.getByText("Line 3, column 3: expected a comma or a closing brace.").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect
      .poll(() => textArea(page).evaluate((element) => element === document.activeElement), patient)
      .toBe(true);
    expect(await textIn(page)).toBe(broken);
    await textArea(page).fill(JSON.stringify({ id: "x".repeat(100_000) }));
    await page.getByText("This is longer than 100,000 characters").waitFor();
    await textArea(page).fill('{"id":"x"}');
    expect(await textIn(page)).toBe('{"id":"x"}');
    expect(errors).toEqual([]);
  });

  it("reports a repeated name once, and sends it as written", async ({ service }) => {
    const { page, errors } = await openForm(service, "/?node=workflow:book&tab=run");
    await writeDraft(page, JSON.stringify(good).replace('"labels":{}', '"labels":{"team":"a","team":"b","team":"c"}'));
    await page.getByRole("note").getByText("/labels/team appears more than once").waitFor();
    expect(await page.getByText(/more than once|[Dd]uplicate|twice/).count()).toBe(1);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    expect((await inputOfRunAt(service, page)).input).toEqual({ ...good, labels: { team: "c" } });
    expect(errors).toEqual([]);
  });

  it("edits JSON with completion from the schema, marks at invalid values, and folding; its code loads with the editor", async ({
    service,
  }) => {
    const { page, errors } = await openForm(service, "/?node=workflow:book&tab=run");
    const scripts = () => page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    const before = new Set(await scripts());
    await view(page, "JSON");
    await textArea(page).fill('{"method": {"type": "card", "last4": "42"}, "paid": true}');
    expect((await scripts()).filter((name) => name.endsWith(".js") && !before.has(name)).length).toBeGreaterThan(0);
    await page.locator(".cm-lintRange-error", { hasText: '"42"' }).hover();
    await page.getByText("/method/last4: Must have at least 4 characters").waitFor();
    await page.getByText("Must be a string. /id").waitFor({ state: "detached" });
    await textArea(page).press("ControlOrMeta+End");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.type(', "cur');
    await page.getByRole("option", { name: /"currency"/ }).waitFor();
    // The editor ignores keys for 75 ms after a list has opened.
    await page.waitForTimeout(100);
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: '"gbp"' }).click();
    await expect.poll(() => textIn(page), patient).toContain('"paid": true, "currency": "gbp"}');
    await page.getByRole("button", { name: "Indent" }).click();
    await expect.poll(() => textIn(page), patient).toContain('\n  "method": {\n');
    await page.locator(".cm-foldGutter [title='Fold line']").nth(1).click();
    await page.locator(".cm-foldPlaceholder").waitFor();
    expect(errors).toEqual([]);
  });
});
