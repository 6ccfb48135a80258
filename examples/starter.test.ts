import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import octokitExamples from "@octokit/webhooks-examples";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import type { TriggerDefinition } from "../sdk/definition.ts";
import { startScriptedProvider } from "../server/engine/agent/testing/scripted-provider.ts";
import invoiceFailed from "./starter/triggers/billing/invoice-failed";
import invoicePaid from "./starter/triggers/billing/invoice-paid";
import largeInvoice from "./starter/triggers/billing/large-invoice";
import ciFailed from "./starter/triggers/ci-failed";
import newIssue from "./starter/triggers/new-issue";
import newSignup from "./starter/triggers/new-signup";
import { execute, parse } from "./testing/execute.ts";
import { openExample } from "./testing/open-example.ts";

const starter = join(import.meta.dirname, "starter");
const triggers: TriggerDefinition[] = [ciFailed, invoiceFailed, invoicePaid, largeInvoice, newIssue, newSignup];
const completedRun = z.looseObject({ action: z.literal("completed"), workflow_run: z.looseObject({}) });
const workflowRuns: unknown[] = octokitExamples
  .filter(({ name }) => name === "workflow_run")
  .flatMap(({ examples }) => examples);
const openedIssues: unknown[] = octokitExamples
  .filter(({ name }) => name === "issues")
  .flatMap(({ examples }) => examples)
  .filter((payload) => "action" in payload && payload.action === "opened");

// Workflows run in the project's folder.
let project = "";
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "signalbox-starter-"));
  vi.spyOn(process, "cwd").mockReturnValue(project);
  for (const name of ["MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"]) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(project, { recursive: true, force: true });
});

describe("the requests that come with the example", () => {
  it.each([
    ["signup.json", "signup", ["new-signup"]],
    ["invoice-paid.json", "billing", ["invoice-paid"]],
    ["invoice-large.json", "billing", ["invoice-paid", "large-invoice"]],
    ["invoice-failed.json", "billing", ["invoice-failed"]],
    ["ci-failed.json", "github", ["ci-failed"]],
    ["issue-opened.json", "github", ["new-issue"]],
    ["issue-crash.json", "github", ["new-issue"]],
  ])("%s sent to %s starts what its name says", (file, endpoint, slugs) => {
    expect(matching(endpoint, readRequest(file))).toEqual(slugs);
  });

  it("are all tested here", () => {
    expect(readdirSync(join(starter, "requests")).sort()).toEqual([
      "ci-failed.json",
      "invoice-failed.json",
      "invoice-large.json",
      "invoice-paid.json",
      "issue-crash.json",
      "issue-opened.json",
      "signup.json",
    ]);
  });

  it("need a name and an address to sign up", () => {
    for (const body of [
      { name: " ", email: "ada@example.com" },
      { name: "Ada", email: "ada" },
      { email: "ada@example.com" },
    ])
      expect(matching("signup", body)).toEqual([]);
  });
});

describe("ci-failed, with real payloads of GitHub", () => {
  it("accepts every workflow_run, and skips those that did not fail", () => {
    expect(workflowRuns.length).toBeGreaterThan(3);
    for (const payload of workflowRuns) {
      expect(parse(ciFailed.source.request, payload).success).toBe(true);
      expect(matching("github", payload)).toEqual([]);
    }
  });

  it("starts when one failed, and its report names the failed job", async () => {
    const [real] = workflowRuns.flatMap((payload) => completedRun.safeParse(payload).data ?? []);
    const payload = { ...real, workflow_run: { ...real?.workflow_run, conclusion: "failure" } };
    expect(matching("github", payload)).toEqual(["ci-failed"]);
    const { output } = await execute(ciFailed, payload);
    expect(output).toEqual({
      text: expect.stringContaining(
        "failed on Codertocat/Hello-World (main): Update milestone-created.yml (5779607, Mona Lisa)",
      ),
    });
  });
});

describe("a workflow of the example", () => {
  it("welcome-email writes the mail to the outbox and returns its id", async () => {
    const { output, steps } = await execute(newSignup, { name: " Ada ", email: "ada@example.com" });
    expect(output).toEqual({ messageId: "run_1@example.com" });
    expect(steps).toEqual(["sleep let the account settle 1s", "send"]);
    expect(outbox("run_1.eml")).toMatch(
      /^Message-ID: <run_1@example\.com>\r\n[^]*To: ada@example\.com\r\n[^]*\r\n\r\nHello Ada,/,
    );
  });

  it("keeps a name with line breaks out of the mail's header", async () => {
    await execute(newSignup, { name: "Ada\r\nBcc: eve@example.com", email: "ada@example.com" });
    expect(outbox("run_1.eml").split("\r\n\r\n")[0]).not.toContain("eve@example.com");
  });

  it("post-to-ledger posts once, also when it is executed again", async () => {
    await execute(invoicePaid, readRequest("invoice-paid.json"));
    await execute(invoicePaid, readRequest("invoice-paid.json"));
    expect(outbox("ledger.csv")).toBe(`"run_1:post","receivables","2026-0117","Analytical Engines Ltd","4900","EUR"\n`);
  });

  it("post-to-ledger quotes values that a spreadsheet would read as a formula or as another cell", async () => {
    const event = {
      id: "e",
      type: "invoice.paid",
      invoice: { number: "1", customer: `=cmd("a","b")`, amount: 1, currency: "EUR" },
    };
    await execute(invoicePaid, event);
    expect(outbox("ledger.csv")).toContain(`,"'=cmd(""a"",""b"")",`);
  });

  it("notify-finance is shared by two triggers", async () => {
    await execute(largeInvoice, readRequest("invoice-large.json"), "run_1");
    await execute(invoiceFailed, readRequest("invoice-failed.json"), "run_2");
    const notes = outbox("finance.jsonl")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(notes).toMatchObject([
      { id: "run_1:notify", urgency: "info", subject: "Analytical Engines Ltd paid 2026-0118" },
      { id: "run_2:notify", urgency: "warning", subject: "Difference & Co has not paid 2026-0119" },
    ]);
    expect(largeInvoice.target).toBe(invoiceFailed.target);
  });

  it("report-ci-failure writes its report to the outbox", async () => {
    await execute(ciFailed, readRequest("ci-failed.json"));
    expect(JSON.parse(outbox("ci-failures.jsonl"))).toEqual({
      id: "run_1:report",
      text: expect.stringContaining("CI failed on octo-org/octo-repo (master)"),
      attempt: 1,
      url: expect.stringMatching(/^https:/),
    });
  });
});

describe("new-issue, with real payloads of GitHub", () => {
  it("starts for opened issues, and for no other event of GitHub", () => {
    expect(openedIssues.length).toBeGreaterThan(3);
    for (const payload of openedIssues) expect(matching("github", payload)).toEqual(["new-issue"]);
    const others = octokitExamples
      .flatMap(({ examples }): unknown[] => examples)
      .filter((payload) => !openedIssues.includes(payload));
    expect(others.filter((payload) => matching("github", payload).includes("new-issue"))).toEqual([]);
  });

  it("has one of these payloads as its example, unchanged", () => {
    expect(openedIssues).toContainEqual(readRequest("issue-opened.json"));
  });
});

describe("triage, without a configured model", () => {
  it("completes its conversation with a scripted model, which identifies itself, counts no tokens and costs nothing", async () => {
    const example = await openExample("starter");
    expect(example.manifest.agents).toMatchObject([
      {
        slug: "triage",
        model: { provider: "scripted-model", modelId: "scripted-model" },
        tools: [
          { name: "findSimilarIssues", needsApproval: "never" },
          { name: "updateIssue", needsApproval: "sometimes" },
        ],
      },
    ]);
    for (const { run, steps } of await example.runAll("new-issue", openedIssues)) {
      expect(run).toMatchObject({
        status: "completed",
        output: {
          severity: "low",
          area: "docs",
          summary: expect.stringContaining("Sorted by rules"),
          duplicateOf: null,
        },
      });
      const calls = steps.flatMap((step) => (step.type === "model" ? [step] : []));
      expect(calls).toHaveLength(3);
      for (const { content, usage, model, costUsd } of calls) {
        expect(content[0]).toEqual({
          type: "reasoning",
          text: "This answer is scripted. No model was called.",
        });
        expect([model.provider, usage.inputTokens, usage.outputTokens, costUsd]).toEqual(["scripted-model", 0, 0, 0]);
      }
      expect(steps.flatMap((step) => (step.type === "tool" ? [[step.toolName, step.outcome]] : []))).toEqual([
        ["findSimilarIssues", "done"],
        ["updateIssue", "done"],
      ]);
    }
    const updates = readFileSync(join(example.projectDir, "outbox/issues.jsonl"), "utf8").trim().split("\n");
    expect(updates).toHaveLength(openedIssues.length);
    expect(JSON.parse(updates[0] ?? "")).toEqual({
      id: expect.stringMatching(/^run_\w+:tool 2\.1 updateIssue$/),
      number: 1,
      labels: ["docs"],
      close: false,
    });
  });

  it.each([
    [true, ["done"], 1],
    [false, ["denied"], 0],
  ])("closes no issue before a person has decided (approved: %s)", async (isApproved, outcomes, updates) => {
    const example = await openExample("starter");
    const id = await example.start("new-issue", readRequest("issue-crash.json"));
    expect((await example.stretch(id)).run.status).toBe("waiting");
    const outbox = join(example.projectDir, "outbox/issues.jsonl");
    expect(existsSync(outbox)).toBe(false);
    await example.store.decideApproval({
      runId: id,
      name: "approval 2.1 updateIssue",
      decision: { isApproved, reason: null, by: "Ada" },
      now: example.clock.now(),
    });
    const { run, steps } = await example.stretch(id);
    expect(run).toMatchObject({ status: "completed", output: { severity: "high", area: "app", duplicateOf: 1042 } });
    expect(
      steps.flatMap((step) => (step.type === "tool" && step.toolName === "updateIssue" ? [step.outcome] : [])),
    ).toEqual(outcomes);
    expect(existsSync(outbox) ? readFileSync(outbox, "utf8").trim().split("\n").length : 0).toBe(updates);
  });
});

describe("triage, with a model of an OpenAI-compatible server", () => {
  it("calls it with the URL, the key and the name from the environment, and parses its answer", async () => {
    const output = { severity: "high", area: "docs", summary: "A typo.", duplicateOf: null };
    const provider = await startScriptedProvider([
      { calls: [{ id: "a", name: "findSimilarIssues", arguments: { text: "spelling" } }], tokens: [200, 20] },
      { calls: [{ id: "b", name: "updateIssue", arguments: { number: 1, labels: ["docs"] } }], tokens: [250, 20] },
      { text: JSON.stringify(output), tokens: [300, 40] },
    ]);
    onTestFinished(() => provider.close());
    vi.stubEnv("MODEL", "qwen3");
    vi.stubEnv("OPENAI_BASE_URL", provider.baseURL);
    vi.stubEnv("OPENAI_API_KEY", "sk-of-the-environment");
    const example = await openExample("starter");
    expect(example.manifest.agents[0]?.model).toEqual({ provider: "openai-compatible.chat", modelId: "qwen3" });
    const { run, steps } = await example.run("new-issue", readRequest("issue-opened.json"));
    expect(run).toMatchObject({ status: "completed", output });
    expect(provider.requests.map(({ model }) => model)).toEqual(["qwen3", "qwen3", "qwen3"]);
    expect(provider.authorizations).toEqual(Array(3).fill("Bearer sk-of-the-environment"));
    expect(provider.requests[0]).toMatchObject({
      stream_options: { include_usage: true },
      response_format: { type: "json_schema" },
      tools: [{ function: { name: "findSimilarIssues" } }, { function: { name: "updateIssue" } }],
    });
    expect(steps.flatMap((step) => (step.type === "model" ? [step.usage.inputTokens] : []))).toEqual([200, 250, 300]);
    expect(JSON.parse(readFileSync(join(example.projectDir, "outbox/issues.jsonl"), "utf8"))).toMatchObject({
      number: 1,
      labels: ["docs"],
      close: false,
    });
  });
});

/** Slugs of the triggers on an endpoint that a body starts, as the receiver decides it. */
function matching(endpoint: string, body: unknown): string[] {
  const onEndpoint = triggers.filter(({ source }) => source.endpoint === endpoint);
  return onEndpoint
    .filter(
      ({ source }) => parse(source.request, body).success && (!source.filter || parse(source.filter, body).success),
    )
    .map(({ source }) => source.slug);
}

function readRequest(file: string): unknown {
  return JSON.parse(readFileSync(join(starter, "requests", file), "utf8"));
}

function outbox(name: string): string {
  return readFileSync(join(project, "outbox", name), "utf8");
}
