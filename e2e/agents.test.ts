import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, vi } from "vitest";
import { type ScriptedAnswer, startScriptedProvider } from "../server/engine/agent/testing/scripted-provider.ts";
import { getJson, postJson, timelineOf, waitForRun } from "./support/api.ts";
import { cliFile, writeProject } from "./support/project.ts";
import { signalbox, startService, withSharedService } from "./support/service.ts";

const key = "sk-the-key-of-the-workers";

/** Every tool appends its name to a file, so that the file shows which steps were executed, regardless of the store. */
const project = {
  "agents/support.ts": `
    import { appendFileSync, existsSync } from "node:fs";
    import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
    import { defineAgent, defineTool } from "signalbox/agent";
    import { z } from "zod";
    const provider = createOpenAICompatible({ name: "scripted", baseURL: process.env["MODEL_URL"] ?? "http://127.0.0.1:1/v1", apiKey: process.env["MODEL_KEY"] ?? "", includeUsage: true });
    const mark = (words: string) => appendFileSync("effects.log", words + "\\n");
    export default defineAgent({
      slug: "support",
      model: provider("scripted-1"),
      instructions: "You help.",
      tools: {
        first: defineTool({ description: "The first", inputSchema: z.object({}), execute: () => mark("first") }),
        second: defineTool({
          description: "The second",
          inputSchema: z.object({}),
          async execute() {
            mark("waiting");
            while (!existsSync("go-on")) await new Promise((resolve) => setTimeout(resolve, 20));
            mark("second");
          },
        }),
        refund: defineTool({ description: "Pays back", inputSchema: z.object({ cents: z.int() }), needsApproval: true, execute: ({ cents }) => mark("refund " + cents) }),
      },
    });`,
  "triggers/ticket.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import { github } from "signalbox/verify";
    import support from "../agents/support";
    export default defineWebhookSource({ slug: "ticket", endpoint: "tickets", verify: process.env["TICKET_SECRET"] ? github({ secret: process.env["TICKET_SECRET"] }) : undefined, request: z.object({ from: z.string(), subject: z.string() }) }).attach({
      agent: support,
      prompt: "Ticket of {{ from }}: {{ subject }}",
    });`,
};

/** A project with an agent, and the provider of its model. */
async function setUp(script: ScriptedAnswer[]) {
  const provider = await startScriptedProvider(script);
  onTestFinished(() => provider.close());
  const projectDir = writeProject(project);
  const start = () =>
    startService({ projectDir, command: "dev", env: { MODEL_URL: provider.baseURL, MODEL_KEY: key } });
  return { provider, projectDir, effects: () => readEffects(projectDir), start };
}

function readEffects(projectDir: string): string[] {
  const file = join(projectDir, "effects.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** The answers of the shared service's model: each test adds its own, and uses all of them. */
const script: ScriptedAnswer[] = [];
const provider = await startScriptedProvider(script);
afterAll(() => provider.close());
let projectDir = "";
const it = withSharedService((onCleanup) => ({
  projectDir: (projectDir = writeProject(project, onCleanup)),
  command: "dev",
  env: { MODEL_URL: provider.baseURL, MODEL_KEY: key },
}));

/** The environments of the processes of a service, by their program: `web` or `worker`. */
function environmentsOf(pid: number | undefined): Map<string, string> {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return new Map(
    children.map((child) => [
      /\/(receiver|web|worker)\.[jt]s/.exec(readFileSync(`/proc/${child}/cmdline`, "utf8"))?.[1] ?? child,
      readFileSync(`/proc/${child}/environ`, "utf8"),
    ]),
  );
}

describe("an agent in a running service", () => {
  it("has its model's key only in the workers, and the secrets of triggers and of the service only in the receiver and the web process", async () => {
    const { projectDir, provider } = await setUp([{ text: "Hello" }]);
    const env = {
      MODEL_URL: provider.baseURL,
      MODEL_KEY: key,
      OPENAI_API_KEY: `${key}-unused`,
      TICKET_SECRET: "sk-of-the-sender",
      SIGNALBOX_SECRET: "of-the-service-itself",
      UNRELATED: "stays",
    };
    const service = await startService({ projectDir, command: "dev", env });
    const given = environmentsOf(service.child.pid);
    // The process that builds the project runs beside them.
    expect([...given.keys()]).toEqual(expect.arrayContaining(["receiver", "web", "worker"]));
    for (const value of [`MODEL_KEY=${key}`, "OPENAI_API_KEY=", "UNRELATED=stays"])
      expect(given.get("worker")).toContain(value);
    for (const value of ["TICKET_SECRET", "sk-of-the-sender", "SIGNALBOX_SECRET", "of-the-service-itself"])
      expect(given.get("worker")).not.toContain(value);
    for (const program of ["receiver", "web"]) {
      for (const value of [
        "TICKET_SECRET=sk-of-the-sender",
        "SIGNALBOX_SECRET=of-the-service-itself",
        "UNRELATED=stays",
      ])
        expect(given.get(program)).toContain(value);
      for (const value of [key, "MODEL_KEY", "OPENAI_API_KEY"]) expect(given.get(program)).not.toContain(value);
    }

    const body = { from: "ada", subject: "Help" };
    const send = async (secret: string) =>
      (
        await postJson(`${service.url}/triggers/tickets`, body, {
          "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(JSON.stringify(body)).digest("hex")}`,
        })
      ).status;
    expect([await send("sk-of-the-sender"), await send(key)]).toEqual([202, 401]);
    // Another build may need more variables.
    const trigger = join(projectDir, "triggers/ticket.ts");
    writeFileSync(trigger, readFileSync(trigger, "utf8").replaceAll("TICKET_SECRET", "MODEL_KEY"));
    await vi.waitFor(async () => expect([await send("sk-of-the-sender"), await send(key)]).toEqual([401, 202]), {
      interval: 200,
    });
  });

  it("that is killed between two tool calls continues after the first, and repeats no model call", async () => {
    const { provider, projectDir, effects, start } = await setUp([
      {
        calls: [
          { id: "a", name: "first", arguments: {} },
          { id: "b", name: "second", arguments: {} },
        ],
      },
      { text: "Done" },
    ]);
    const first = await start();
    const { runId } = (await (
      await postJson(`${first.url}/triggers/tickets`, { from: "ada", subject: "Help" })
    ).json()) as { runId: string };
    await vi.waitFor(() => expect(effects()).toEqual(["first", "waiting"]));
    await first.killGroup();

    writeFileSync(join(projectDir, "go-on"), "");
    const second = await start();
    expect(await waitForRun(second, runId)).toMatchObject({
      status: "completed",
      attempt: 1,
      output: "Done",
      input: { prompt: "Ticket of ada: Help" },
    });
    expect(effects()).toEqual(["first", "waiting", "waiting", "second"]);
    expect(provider.requests).toHaveLength(2);
    const kinds = (await timelineOf(second, runId)).map(
      (entry) => `${entry.kind}${entry.name ? ` ${entry.name}` : ""}`,
    );
    expect(kinds).toEqual(
      expect.arrayContaining([
        "worker_lost",
        "step_reused model 1",
        "step_reused tool 1.1 first",
        "step_completed tool 1.2 second",
      ]),
    );
    const stateDir = join(projectDir, ".signalbox");
    const written = ["signalbox.db", "signalbox.db-wal", "manifest.json"]
      .filter((name) => existsSync(join(stateDir, name)))
      .map((name) => readFileSync(join(stateDir, name), "latin1"));
    expect(written.join("")).not.toContain(key);
    expect(second.output() + JSON.stringify(await getJson(`${second.url}/api/v1/runs/${runId}/agent`))).not.toContain(
      key,
    );
  });

  it("started on the command line waits for approval, and continues after it", async ({ service }) => {
    script.push({ calls: [{ name: "refund", arguments: { cents: 500 } }] }, { text: "Paid back" });
    const effects = () => readEffects(projectDir);
    const asked = signalbox(
      ["agents", "run", "support", "--prompt", "Pay them back", "--project", projectDir, "--no-wait", "--json"],
      { cwd: projectDir },
    );
    expect(asked.status, asked.stdout + asked.stderr).toBe(0);
    const { runId: id } = JSON.parse(asked.stdout) as { runId: string };
    await vi.waitFor(async () =>
      expect(await getJson(`${service.url}/api/v1/runs/${id}`)).toMatchObject({ status: "waiting" }),
    );
    expect(effects()).toEqual([]);
    const approved = await postJson(`${service.url}/api/v1/runs/${id}/approvals`, {
      name: "approval 1.1 refund",
      isApproved: true,
    });
    expect(approved.status).toBe(200);
    expect(await waitForRun(service, id)).toMatchObject({ status: "completed", output: "Paid back", startedBy: "cli" });
    expect(effects()).toEqual(["refund 500"]);
  });

  it("streams the model's text on the command line; afterwards only the answer is stored", async ({ service }) => {
    const goOn = Promise.withResolvers<void>();
    script.push({ text: "Hello from the model", until: goOn.promise, tokens: [20, 4] });
    const asked = spawn(
      process.execPath,
      [cliFile, "agents", "run", "support", "--prompt", "Greet us", "--project", projectDir],
      { cwd: projectDir, stdio: ["ignore", "pipe", "inherit"] },
    );
    let printed = "";
    asked.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    const ended = once(asked, "close");
    await vi.waitFor(() => expect(printed).toBe("Hello from"));
    const { data } = await getJson<{ data: { id: string }[] }>(`${service.url}/api/v1/runs?targetKind=agent`);
    const id = data[0]?.id ?? "";
    expect(await getJson(`${service.url}/api/v1/runs/${id}/agent`)).toMatchObject({
      live: { step: "model 1", text: "Hello from" },
      steps: [{ name: "prompt" }],
    });
    goOn.resolve();
    expect(await ended).toEqual([0, null]);
    expect(printed).toBe(`Hello from the model\n${id}  20 tokens in, 4 out\n`);
    expect(await getJson(`${service.url}/api/v1/runs/${id}/agent`)).toMatchObject({ live: null });
    expect(await getJson(`${service.url}/api/v1/runs/${id}`)).toMatchObject({ tokens: 24, costUsd: null });
  });
});
