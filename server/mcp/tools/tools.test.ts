import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { operations } from "../../auth/access/operations.ts";
import type { Json } from "../../contract/json.ts";
import {
  deliver,
  executeRuns,
  openTestService,
  paidBody,
  type TestService,
} from "../../http/rest/testing/test-service.ts";
import { packageRoot } from "../../paths.ts";
import { renderResult } from "../marked-data.ts";
import { createServiceApi, type CallService } from "../service-api.ts";
import { hostileTexts } from "../testing/hostile-texts.ts";
import { readMarked } from "../testing/read-marked.ts";
import type { Tool } from "../tool.ts";
import { tools } from "./all-tools.ts";

/** Inputs with which each tool has something to show. */
const inputs: Record<string, (made: { deliveryId: string; runId: string }) => Record<string, unknown>> = {
  list_triggers: () => ({ trigger: "new-signup" }),
  explain_delivery: ({ deliveryId }) => ({ id: deliveryId }),
  search_deliveries: () => ({ since: "30d" }),
  test_trigger: () => ({ endpoint: "billing", body: { type: "invoice.paid", amount: "12" } }),
  backtest: () => ({ since: "30d" }),
  infer_schema: () => ({ endpoint: "billing" }),
  get_run: ({ runId }) => ({ id: runId }),
  search_docs: () => ({ query: "idempotency key" }),
  send_and_wait: () => ({ endpoint: "billing", body: '{ "type": "refund" }', waitSeconds: 0 }),
  resume_run: ({ runId }) => ({ id: runId, waitSeconds: 0 }),
};

async function openService() {
  const service = await openTestService();
  const { deliveryId, runs } = await deliver(service, { endpoint: "billing", body: paidBody });
  await deliver(service, { endpoint: "signup", body: '{ "name": "", "email": "ada@example.com" }' });
  await executeRuns(service, { to: "failed", error: { name: "Error", message: "No.", stack: null } });
  return { service, made: { deliveryId, runId: runs[0]?.id ?? "" } };
}

const callOf =
  ({ app }: TestService): CallService =>
  (request) =>
    app.fetch(request);

async function show(tool: Tool, input: unknown, call: CallService) {
  return readMarked(renderResult(await tool.call(input, createServiceApi(call))));
}

it.each(tools.map((tool) => ({ tool, name: tool.name })))(
  "$name shows what a sender or a workflow wrote only as marked data, for every answer of the API",
  async ({ tool, name }) => {
    const { service, made } = await openService();
    const input = inputs[name]?.(made);
    const recorded: { status: number; json: Json }[] = [];
    const plain = await show(tool, input, async (request) => {
      const response = await callOf(service)(request);
      recorded.push({ status: response.status, json: (await response.clone().json()) as Json });
      return response;
    });
    expect(plain.outside).toMatch(/^[A-Z0-9]/);
    const replay = (answers: readonly Json[]) => {
      let at = 0;
      return show(tool, input, async () => {
        const { status = 200 } = recorded[at] ?? {};
        return Response.json(answers[at++], { status });
      });
    };
    const answers = recorded.map(({ json }) => json);
    // Only strings that the schema of the API leaves open.
    const open: Path[] = [];
    for (const path of stringsIn(answers))
      if (await replay(withTexts(answers, [path], () => "x <y>")).then(Boolean, () => false)) open.push(path);
    expect(open.length > 0, "it reads something").toBe(recorded.length > 0);
    if (open.length === 0) return;
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostileTexts)), async (text) => {
        const attacked = await replay(withTexts(answers, open, () => text));
        expect(attacked.outside).toBe(plain.outside);
        expect(JSON.stringify(attacked.data)).toContain(JSON.stringify(text).slice(1, -1));
      }),
      { numRuns: 40, examples: hostileTexts.map((text) => [text] as [string]) },
    );
  },
);

type Path = readonly (string | number)[];

function stringsIn(value: Json, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Array.isArray(value)
    ? value.flatMap((item, at) => stringsIn(item, [...path, at]))
    : Object.entries(value).flatMap(([key, item]) => stringsIn(item, [...path, key]));
}

function withTexts(answers: readonly Json[], paths: readonly Path[], make: () => string): Json[] {
  const changed = structuredClone(answers) as Json[];
  for (const path of paths) {
    const holder = path.slice(0, -1).reduce<unknown>((at, key) => Reflect.get(Object(at), key), changed);
    Reflect.set(Object(holder), path.at(-1) ?? "", make());
  }
  return changed;
}

it("the tools are the ten of the documentation, each with a description of every argument's purpose", () => {
  expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(inputs).toSorted());
  for (const { description } of tools) expect(description.length).toBeGreaterThan(60);
});

const textOf = (file: string) => readFileSync(join(packageRoot, file), "utf8");

it("docs/mcp.md has a row for each tool, with its scope, and the skill names each tool", () => {
  const rows = [...textOf("docs/mcp.md").matchAll(/^\| `(\w+)` \| .* \| `(\w+)` \|$/gm)];
  expect(rows.map(([, name, scope]) => ({ name, scope }))).toEqual(tools.map(({ name, scope }) => ({ name, scope })));
  const skill = textOf("skills/signalbox/SKILL.md");
  expect(skill).toMatch(/^---\nname: signalbox\ndescription: .{50,1024}\n---\n/);
  for (const { name } of tools) expect(skill).toContain(`\`${name}\``);
});

it("a tool needs the scope of its operations, and only those that change something are marked as writing", () => {
  expect(tools.filter(({ isReadOnly }) => !isReadOnly).map(({ name, scope }) => ({ name, scope }))).toEqual([
    { name: "send_and_wait", scope: operations.sendDelivery.access },
    { name: "resume_run", scope: operations.resumeRun.access },
  ]);
  expect(new Set(tools.filter(({ isReadOnly }) => isReadOnly).map(({ scope }) => scope))).toEqual(new Set(["read"]));
});

it("a tool calls only operations that its scope allows", async () => {
  const { service, made } = await openService();
  const { createRestApp } = await import("../../http/rest/rest-app.ts");
  for (const tool of tools) {
    const { scope } = tool;
    const principal = { kind: "token", keyId: "key_1", name: "agent", scope, ownerId: null, cappedTo: null } as const;
    const app = createRestApp({ ...service.deps, authenticate: async () => principal });
    const api = createServiceApi((request) => app.fetch(request));
    expect((await tool.call(inputs[tool.name]?.(made), api)).facts.length).toBeGreaterThan(0);
  }
});

it("only the search of the documentation shows text without marks, which is that of the package", async () => {
  const { service, made } = await openService();
  for (const tool of tools) {
    const { text } = await tool.call(inputs[tool.name]?.(made), createServiceApi(callOf(service)));
    expect(text === undefined, tool.name).toBe(tool.name !== "search_docs");
  }
});

it("a body that a model wrote as a string of JSON is evaluated as JSON, and the result says so", async () => {
  const { service } = await openService();
  const tool = tools.find(({ name }) => name === "test_trigger");
  if (!tool) throw new Error("There is no test_trigger");
  const shown = await show(tool, { endpoint: "billing", body: '{ "type": "refund" }' }, callOf(service));
  expect(shown.outside).toBe(
    "The body was a string of JSON, and was parsed. 1 of 3 triggers would start a run. Nothing was started or recorded.",
  );
});
