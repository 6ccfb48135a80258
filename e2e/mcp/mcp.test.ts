import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { cleanEnvironment } from "../../scripts/clean-environment.ts";
import { manyCleanups } from "../../scripts/cleanups.ts";
import { readMarked } from "../../server/mcp/testing/read-marked.ts";
import { getJson, postJson } from "../support/api.ts";
import { cliFile, repository, writeFiles, writeProject } from "../support/project.ts";
import { type Service, sharedService, signalbox } from "../support/service.ts";
import { modelOfEnvironment, scoreModel } from "./model-client.ts";
import { type Conversation, startScriptedModels, type Turn } from "./scripted-models.ts";
import { orderPaid, shopFiles } from "./shop-project.ts";
import { type CallTool, sendWebhook, type Shop, tasks } from "./tasks.ts";

/** As the notes for coding agents in a new project configure it. */
const notes = readFileSync(join(repository, "examples/starter/AGENTS.md"), "utf8");
const configured = JSON.parse(/```json\n([^]*?)```/.exec(notes)?.[1] ?? "") as {
  mcpServers: { signalbox: { command: string; args: string[] } };
};
const [program, ...programArgs] = configured.mcpServers.signalbox.args;

const sensitive = "grace.hopper@navy.example";

/** The shop, deployed, with another build that is kept, a webhook key, and tokens of both scopes. */
const it = test
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which other fixtures are needed.
  .extend("service", { scope: "file" }, ({}, { onCleanup }) => {
    const add = manyCleanups(onCleanup);
    const projectDir = writeProject(shopFiles(), add);
    writeFiles(projectDir, { "triggers/order-paid.ts": orderPaid(10) });
    run(projectDir, ["build"]);
    writeFiles(projectDir, { "triggers/order-paid.ts": orderPaid(1) });
    run(projectDir, ["build"]);
    return sharedService(() => ({ projectDir, command: "start" }))({}, { onCleanup: add });
  })
  .extend("shop", { scope: "file" }, async ({ service }) => openShop(service));

function run(cwd: string, args: string[]): string {
  const { status, stdout, stderr } = signalbox(args, { cwd });
  if (status !== 0) throw new Error(`signalbox ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

async function openShop({ url, projectDir }: Service): Promise<Shop & { tokens: Record<"read" | "operate", string> }> {
  const headers = { authorization: `Bearer ${run(projectDir, ["keys", "create", "--api", "--scope", "admin"])}` };
  const createKey = async (key: { kind: string; scope?: string }) => {
    const response = await postJson(`${url}/api/v1/keys`, { ...key, name: "shop" }, headers);
    return ((await response.json()) as { secret: string }).secret;
  };
  const key = await createKey({ kind: "webhook" });
  const { data } = await getJson<{ data: { id: string; isCurrent: boolean }[] }>(`${url}/api/v1/builds`, headers);
  return {
    url,
    headers,
    tokens: {
      read: await createKey({ kind: "api", scope: "read" }),
      operate: await createKey({ kind: "api", scope: "operate" }),
    },
    otherBuild: data.find(({ isCurrent }) => !isCurrent)?.id ?? "",
    since: new Date().toISOString(),
    stockGlass(isThere) {
      const file = join(projectDir, "glass-is-in-stock");
      if (isThere) writeFileSync(file, "");
      else rmSync(file, { force: true });
    },
    send: (endpoint, body, more) => sendWebhook({ url, key }, endpoint, body, more),
  };
}

async function connect(transport: Transport, mode: "auto" | "legacy" = "legacy"): Promise<Client> {
  const client = new Client({ name: "e2e", version: "1.0.0" }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

const overHttp = (url: string, token: string) =>
  new StreamableHTTPClientTransport(new URL("/mcp", url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });

const overStdio = (cwd: string, p: { args?: string[]; env?: Record<string, string> } = {}) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [cliFile, ...programArgs, ...(p.args ?? [])],
    cwd,
    env: { ...(cleanEnvironment() as Record<string, string>), ...p.env },
    stderr: "pipe",
  });

/** The text of a result. Throws if the tool failed. */
async function callFor(client: Client, name: string, input: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const text = (content as { text: string }[]).map((part) => part.text).join("\n");
  if (isError) throw new Error(`${name}: ${text}`);
  return text;
}

/** Gives the data of results as a client reads them; without data, the text. Notes every text in `seen`. */
const scripted =
  (client: Client, seen: string[]): CallTool =>
  async (name, input) => {
    const text = await callFor(client, name, input);
    seen.push(text);
    const { outside, data } = readMarked(text);
    return (data ?? outside) as never;
  };

it("a scripted client does all fifteen tasks with the tools, over HTTP and stdio in turn, and none without them", async ({
  shop,
  service,
}) => {
  const clients = [
    await connect(overHttp(shop.url, shop.tokens.operate), "auto"),
    await connect(overStdio(service.projectDir)),
    await connect(
      overStdio(service.projectDir, { env: { SIGNALBOX_URL: shop.url, SIGNALBOX_TOKEN: shop.tokens.operate } }),
    ),
    await connect(overHttp(shop.url, shop.tokens.operate)),
  ];
  const seen: string[] = [];
  const results: { name: string; without: boolean; with: boolean }[] = [];
  for (const [at, task] of tasks.entries()) {
    const facts = await task.setup(shop);
    const without = await task.check(shop, facts);
    const client = clients[at % clients.length];
    if (client) await task.solve(scripted(client, seen), facts);
    results.push({ name: task.name, without, with: await task.check(shop, facts) });
  }
  expect(results).toEqual(tasks.map(({ name }) => ({ name, without: false, with: true })));
  expect(results).toHaveLength(15);
  expect(seen.join("\n")).not.toContain(sensitive);
  for (const text of seen) expect(readMarked(text).outside).not.toMatch(/SYSTEM|EVIL-12/);
});

it("the configuration in the notes for coding agents starts the tools", () => {
  expect([configured.mcpServers.signalbox.command, program, ...programArgs]).toEqual(["npx", "signalbox", "mcp"]);
});

it("a client with a token that reads sees no tool that writes, over HTTP and stdio", async ({ shop, service }) => {
  const env = { SIGNALBOX_URL: shop.url, SIGNALBOX_TOKEN: shop.tokens.read };
  const clients = [
    await connect(overHttp(shop.url, shop.tokens.read)),
    await connect(overStdio(service.projectDir, { env })),
    await connect(overStdio(service.projectDir, { args: ["--read-only"] })),
  ];
  for (const client of clients) {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toHaveLength(8);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    await expect(
      client.callTool({ name: "send_and_wait", arguments: { endpoint: "orders", body: {} } }),
    ).rejects.toThrow("send_and_wait");
  }
});

it("on stdio, a new build is used by the next call, and what the project prints does not disturb the protocol", async ({
  onTestFinished: onFinished,
}) => {
  const projectDir = writeProject(shopFiles(), onFinished);
  const client = await connect(overStdio(projectDir), "auto");
  const testOrder = () =>
    callFor(client, "test_trigger", { trigger: "order-paid", body: { type: "order.paid", number: "1", amount: 5 } });
  await expect(testOrder()).rejects.toThrow("There is no build of");
  run(projectDir, ["build"]);
  expect(await testOrder()).toMatch(/^1 of 1 trigger would start a run/);
  const file = join(projectDir, "triggers/order-paid.ts");
  writeFileSync(file, `console.log("not JSON-RPC");\n${readFileSync(file, "utf8").replace("min(1)", "min(10)")}`);
  run(projectDir, ["build"]);
  expect(await testOrder()).toMatch(/^0 of 1 trigger would start a run/);
});

/** A model that can only send an order, and ends every other task at once. It first calls a tool that does not exist. */
function sendOrder({ task, tools, results }: Conversation): Turn {
  if (!task.includes('"WOOD-3"')) return { text: "I cannot do this." };
  const [first = "", second = ""] = results;
  if (results.length === 0)
    return { calls: [{ name: "no_such_tool", input: { method: "GET", path: "/no-such-path" } }] };
  const order = { type: "order.paid", number: "WOOD-3", amount: 30 };
  if (tools.includes("send_and_wait")) {
    if (results.length > 1) return { text: `Sent: ${second}` };
    if (!first.includes("no_such_tool")) throw new Error(`The error does not name the tool: ${first}`);
    return { calls: [{ name: "send_and_wait", input: { endpoint: "orders", body: order } }] };
  }
  if (results.length === 1) return request("POST", "/api/v1/triggers/order-paid/runs", order);
  if (results.length === 2) return request("GET", `/api/v1/runs/${/run_\w{26}/.exec(second)?.[0]}?wait=60`);
  return { text: "Packed." };
}

function request(method: string, path: string, body?: object): Turn {
  return { calls: [{ name: "http_request", input: { method, path, ...(body ? { body } : {}) } }] };
}

for (const { api, env, header, value } of [
  { api: "an OpenAI-compatible server", env: {}, header: "authorization", value: "Bearer a key" },
  { api: "Anthropic", env: { TASKS_PROVIDER: "anthropic" }, header: "x-api-key", value: "a key" },
])
  it(`a model of ${api} gets the tasks, calls the tools or the REST API, and is scored by the state`, async ({
    shop,
  }) => {
    const models = await startScriptedModels(sendOrder);
    onTestFinished(() => models.close());
    const settings = { TASKS_MODEL: "scripted", TASKS_BASE_URL: models.baseURL, TASKS_API_KEY: "a key", ...env };
    const ofScript = modelOfEnvironment(settings);
    const client = await connect(overHttp(shop.url, shop.tokens.operate), "auto");
    const two = tasks.filter(({ name }) => name === "send-order" || name === "who-fires");
    const scores =
      ofScript && (await scoreModel({ model: ofScript, shop, token: shop.tokens.operate, client, tasks: two }));
    expect(scores).toEqual({ without: 1, with: 1 });
    expect(models.headers.map((headers) => headers[header])).toEqual(models.headers.map(() => value));
  });

const model = modelOfEnvironment();
// A real model, if the environment names one: see e2e/mcp/model-client.ts.
if (model)
  it(
    "a real model does at least as many tasks with the tools as without them",
    { timeout: 3_600_000 },
    async ({ shop }) => {
      const client = await connect(overHttp(shop.url, shop.tokens.operate), "auto");
      const scores = await scoreModel({
        model,
        shop,
        token: shop.tokens.operate,
        client,
        tasks,
        onTask: console.log,
      });
      console.log(scores);
      expect(scores.with).toBeGreaterThanOrEqual(scores.without);
    },
  );
