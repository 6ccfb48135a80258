import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { Run } from "../server/contract/run.ts";
import { type ScriptedAnswer, startScriptedProvider } from "../server/engine/agent/testing/scripted-provider.ts";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { findViolations } from "./support/axe.ts";
import { visit } from "./support/browser.ts";
import { expectSoundPage } from "./support/sound-page.ts";
import { writeProject } from "./support/project.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { signalbox, startService, withSharedService } from "./support/service.ts";

const agent = (slug: string) => `
    import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
    import { defineAgent, defineTool } from "signalbox/agent";
    import { z } from "zod";
    const provider = createOpenAICompatible({ name: "scripted", baseURL: process.env["MODEL_URL"] ?? "http://127.0.0.1:1/v1", apiKey: "none", includeUsage: true });
    export default defineAgent({
      slug: "${slug}",
      model: provider("scripted-1"),
      instructions: "You help.",
      tools: {
        lookUp: defineTool({ description: "Looks up", inputSchema: z.object({ name: z.string() }), execute: ({ name }) => ({ name, note: "<b>bold</b>" }) }),
        refund: defineTool({ description: "Pays back", inputSchema: z.object({ cents: z.int() }), needsApproval: true, execute: ({ cents }) => ({ paid: cents }) }),
      },
      budget: { tokens: 1_000 },
    });`;

const project = {
  "agents/support.ts": agent("support"),
  "agents/cashier.ts": agent("cashier"),
  "triggers/ticket.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import support from "../agents/support";
    export default defineWebhookSource({ slug: "ticket", endpoint: "tickets", request: z.object({ from: z.string(), subject: z.string() }) }).attach({
      agent: support,
      prompt: "Ticket of {{ from }}: {{ subject }}. Be brief.",
    });`,
  "signalbox.config.ts": `
    import { defineConfig } from "signalbox/config";
    export default defineConfig({ modelPrices: { "scripted-1": { input: 1_000, output: 2_000 } } });`,
};

const hostile = `<img src=x onerror="alert(1)"> **now** [pay](javascript:alert(2))`;
const refunds: ScriptedAnswer = {
  calls: [
    { id: "a", name: "refund", arguments: { cents: 500 } },
    { id: "b", name: "refund", arguments: { cents: 90_000 } },
  ],
};

let script: ScriptedAnswer[] = [];
let provider: Awaited<ReturnType<typeof startScriptedProvider>>;
beforeAll(async () => {
  provider = await startScriptedProvider(() => script.shift() ?? { status: 500, message: "the script has ended" });
});
afterAll(() => provider.close());

const it = withSharedService((onCleanup) => ({
  projectDir: writeProject(project, onCleanup),
  command: "dev",
  env: { MODEL_URL: provider.baseURL },
}));

/** What the model answers from now on. Returns what it is asked. */
function play(answers: ScriptedAnswer[]) {
  script = [...answers];
  const before = provider.requests.length;
  return () => provider.requests.slice(before);
}

async function sendTicket(url: string): Promise<string> {
  return ((await (await postJson(url, { from: "Ada", subject: hostile })).json()) as { runId: string }).runId;
}

const part = (page: Page, name: string | RegExp) => page.getByRole("region", { name });
const approvals = (page: Page) => part(page, "Approvals");
const runIdIn = (page: Page) => new URL(page.url()).pathname.split("/").at(-1) ?? "";

describe("the page of an agent's run", () => {
  it("streams the answer, marks text from the payload, and shows the cost; text of senders and models is never markup", async ({
    service,
  }) => {
    const gate = Promise.withResolvers<void>();
    play([
      {
        calls: [
          { name: "lookUp", arguments: { name: "Ada" } },
          { name: "launch", arguments: {} },
        ],
        text: "I look.",
        tokens: [100, 10],
      },
      {
        text: `Here is the first half ${hostile} and here is the second half.`,
        until: gate.promise,
        tokens: [300, 40],
      },
    ]);
    const { page, errors, foreignRequests } = await visit(service.url, { reducedMotion: "reduce" });
    const id = await sendTicket(`${service.url}/triggers/tickets`);
    await page.goto(`${service.url}/runs/${id}`);
    const said = part(page, "Answer of model call 2 so far");
    await said.getByText("Here is the first half").waitFor();
    expect(await said.textContent()).not.toContain("second half");
    expect(await getJson<Run>(`${service.url}/api/v1/runs/${id}`)).toMatchObject({ status: "running" });
    gate.resolve();
    await part(page, "Model call 2").getByText("and here is the second half.").waitFor();
    await said.waitFor({ state: "detached" });
    await waitForRun(service, id);

    await part(page, "Model call 2").getByText("final answer").waitFor();
    const used = page.locator("dl[aria-label='Usage so far']");
    await used.getByText("400 in · 50 out").waitFor();
    await used.getByText("$0.50", { exact: true }).waitFor();
    await used.getByText("550 of 1,000 left").waitFor();
    await part(page, "Model call 1").getByText("$0.12", { exact: true }).waitFor();
    await part(page, "Tool lookUp, call 1.1").getByText(`"<b>bold</b>"`).waitFor();
    await part(page, "Tool launch, call 1.2").getByText("not called", { exact: true }).waitFor();

    const prompt = part(page, "Prompt");
    const mark = prompt.locator("mark", { hasText: "onerror" });
    expect(await mark.textContent()).toBe(hostile);
    await mark.focus();
    await prompt.locator("code", { hasText: /^subject$/ }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await prompt.locator("code", { hasText: /^from$/ }).waitFor();
    const row = (name: RegExp) => page.getByRole("list", { name: /^Timeline of/ }).getByRole("button", { name });
    for (const name of [/^Prompt, done/, /^Model call 2, done/, /^Tool lookUp, done/, /^Tool launch, failed/])
      await row(name).waitFor();
    expect(
      await page.locator("img[src=x], a[href^=javascript], main strong:text-is('now'), b:text-is('bold')").count(),
    ).toBe(0);
    await expectSoundPage(page, "a finished run");
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  it("approves and denies tool calls, with a reason for the model; a call that was decided meanwhile says so", async ({
    service,
  }) => {
    const requests = play([refunds, refunds, { text: "Done" }]);
    const { page, errors } = await visit(service.url, { reducedMotion: "reduce" });
    await page.goto(`${service.url}/?node=agent:support&tab=run`);
    await page.getByRole("textbox", { name: /^Prompt/ }).fill("Pay them back");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL("**/runs/run_*");
    await page.getByRole("main").getByText("waits for approval", { exact: true }).first().waitFor();
    await expectSoundPage(page, "a run that waits for a person");

    const call = (cents: string) =>
      approvals(page).getByRole("group", { name: "Approval of refund" }).filter({ hasText: cents });
    await call("500").getByRole("button", { name: "Approve…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("executed with exactly these arguments").waitFor();
    await expectSoundPage(page, "a tool call before it is approved");
    await dialog.getByRole("button", { name: "Approve call" }).click();
    await approvals(page)
      .getByText(/^Approved by/)
      .waitFor();
    await call("90000").getByRole("button", { name: "Deny…" }).click();
    await dialog.getByRole("textbox", { name: /^Reason/ }).fill("Ask <b>the manager</b> first.");
    await dialog.getByRole("button", { name: "Deny call" }).click();
    await part(page, "Tool refund, call 1.2").getByText("denied", { exact: true }).waitFor();
    await part(page, "Tool refund, call 1.1").getByText("done", { exact: true }).waitFor();
    expect(JSON.stringify(requests()[1]?.messages)).toContain("Reason: Ask <b>the manager</b> first.");

    await call("500").getByRole("button", { name: "Approve…" }).click();
    expect(errors).toEqual([]);
    const decide = (name: string) =>
      postJson(`${service.url}/api/v1/runs/${runIdIn(page)}/approvals`, { name, isApproved: false });
    expect((await decide("approval 2.1 refund")).status).toBe(200);
    await dialog.getByText("Another person has already decided this call.").waitFor();
    expect(await dialog.getByRole("button", { name: "Approve call" }).isDisabled()).toBe(true);
    await decide("approval 2.2 refund");
    expect(await waitForRun(service, runIdIn(page))).toMatchObject({
      status: "completed",
      output: "Done",
      input: { prompt: "Pay them back" },
    });
  });

  it("replays with an edited prompt in which the payload's part is still marked", async ({ service }) => {
    play([{ text: "One" }, { text: "Two" }]);
    const { page, errors } = await visit(service.url);
    const first = await sendTicket(`${service.url}/triggers/tickets`);
    await waitForRun(service, first);
    await page.goto(`${service.url}/runs/${first}?replay=edit`);
    await page.getByRole("radio", { name: "Input" }).check();
    const dialog = page.getByRole("dialog", { name: "Replay with changes" });
    const field = dialog.getByRole("textbox", { name: /^Prompt/ });
    await field.fill(`Hello! ${await field.inputValue()}`);
    await dialog.getByRole("button", { name: "Replay", exact: true }).click();
    await page.waitForURL((url) => url.search === "" && !url.pathname.endsWith(first));
    const { input } = await waitForRun(service, runIdIn(page));
    const { prompt, marks } = input as { prompt: string; marks: { start: number; end: number; path: string }[] };
    expect(prompt).toBe(`Hello! Ticket of Ada: ${hostile}. Be brief.`);
    expect(marks.map(({ start, end, path }) => [path, prompt.slice(start, end)])).toEqual([
      ["from", "Ada"],
      ["subject", hostile],
    ]);
    expect(errors).toEqual([]);
  });
});

describe("an agent with a run that waits for approval", () => {
  it("is shown as waiting on the canvas and in its sheet, also when a later run has completed", async ({ service }) => {
    play([refunds, { text: "Done" }]);
    const start = async (prompt: string) =>
      (
        (await (await postJson(`${service.url}/api/v1/agents/cashier/runs`, { prompt })).json()) as Run & {
          runId: string;
        }
      ).runId;
    const { page, errors } = await visit(service.url, { viewport: { width: 1440, height: 900 } });
    const first = await start("Pay");
    await expect.poll(async () => (await getJson<Run>(`${service.url}/api/v1/runs/${first}`)).status).toBe("waiting");
    await waitForRun(service, await start("Greet"));
    await page.goto(`${service.url}/?node=agent:cashier`);
    await page
      .getByRole("complementary")
      .getByText(/^2 runs · 1 waits for approval · last /)
      .waitFor();
    const node = page.getByRole("link", { name: /^Agent cashier, .* 1 run waits for approval, / });
    await node.waitFor();
    await page.getByRole("link", { name: /^Runs: \d+ waits? for approval$/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: /^Runs that wait for approval \d+ run/ }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "waits for approval", exact: true }).click();
    await page.waitForURL(/\/runs\?.*needsApproval=true/);
    await page.getByRole("table", { name: "Runs" }).getByText("waits for approval", { exact: true }).waitFor();
    expect(errors).toEqual([]);
  });
});

describe("an agent whose build had no key of a model", () => {
  const keyless = {
    "agents/greeter.ts": `
      import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
      import { defineAgent, scriptedModel } from "signalbox/agent";
      const { MODEL_URL } = process.env;
      export default defineAgent({
        slug: "greeter",
        model: MODEL_URL
          ? createOpenAICompatible({ name: "scripted", baseURL: MODEL_URL, apiKey: "none", includeUsage: true })("scripted-1")
          : scriptedModel({ answers: () => "Hello from the script" }),
        instructions: "You greet.",
      });`,
    "triggers/visit.ts": `
      import { defineWebhookSource } from "signalbox/trigger";
      import { z } from "zod";
      import greeter from "../agents/greeter";
      export default defineWebhookSource({ slug: "visit", endpoint: "visits", request: z.object({ name: z.string() }) }).attach({
        agent: greeter,
        prompt: "Greet {{ name }}.",
      });`,
  };

  it("says on the canvas, in its sheet and on the page of its run that a model answered, not the script", async () => {
    play([{ text: "Hello from the model", tokens: [20, 5] }]);
    const projectDir = writeProject(keyless);
    const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
    expect(cli("build").status).toBe(0);
    const service = await startService({ projectDir, command: "start", env: { MODEL_URL: provider.baseURL } });
    const { secret } = JSON.parse(cli("keys", "create", "--api", "--scope", "admin", "--json").stdout) as {
      secret: string;
    };
    const { page, errors } = await visit(service.url, { viewport: { width: 1440, height: 900 } });
    await page.goto(`${service.url}/?node=agent:greeter&tab=run`);
    await signInWithToken(page, secret);
    await page.getByRole("link", { name: "Agent greeter, scripted without a model, no tools, never ran" }).waitFor();
    await page.getByRole("textbox", { name: /^Prompt/ }).fill("Greet Ada");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL("**/runs/run_*");
    await page.getByText(/^The model scripted-1 answered, not the script/).waitFor();
    await page.goto(`${service.url}/?node=agent:greeter`);
    await page.getByRole("link", { name: /^Agent greeter, scripted, but a model answers, / }).waitFor();
    const sheet = page.getByRole("complementary", { name: "agent greeter" });
    await sheet.getByText(/^A model answered the last run\. /).waitFor();
    expect(await page.getByText("Scripted, no model").count()).toBe(0);
    expect(errors).toEqual([]);
  });
});

describe("a viewer", () => {
  it("sees that a run waits for approval, and why they cannot decide", async () => {
    play([refunds]);
    const projectDir = writeProject(project);
    const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
    expect(cli("build").status).toBe(0);
    const service = await startService({ projectDir, command: "start", env: { MODEL_URL: provider.baseURL } });
    const id = await sendTicket(cli("triggers", "url", "ticket").stdout.trim());
    const { secret } = JSON.parse(
      cli("keys", "create", "--api", "--scope", "read", "--name", "looker", "--json").stdout,
    ) as { secret: string };
    const { page, errors } = await visit(service.url);
    await page.goto(`${service.url}/runs`);
    await signInWithToken(page, secret);
    await page.getByRole("table", { name: "Runs" }).getByText("waits for approval", { exact: true }).waitFor();
    await page.goto(`${service.url}/runs/${id}`);
    await approvals(page).getByText("Waiting for an operator to approve").first().waitFor();
    await approvals(page).getByText("Requires the operator role").first().waitFor();
    expect(await page.getByRole("button", { name: /^(Approve|Deny)/ }).count()).toBe(0);
    expect(errors).toEqual([]);
  });
});
