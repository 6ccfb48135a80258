import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runTsc } from "../../../sdk/testing/run-tsc.ts";
import { openApiDocument } from "./rest-app.ts";

const repository = join(import.meta.dirname, "../../..");
/** In the repository, so that the program finds `openapi-fetch`. */
const caches = join(repository, "node_modules/.cache");
let folder = "";

/** The generator needs the compiler API of TypeScript 5, which TypeScript 7 does not have. */
const withTypeScriptFive = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from "node:module";
registerHooks({ resolve: (name, context, next) => next(name === "typescript" ? "typescript-5" : name, context) });
`)}`;

/** A program of another team, which has the document and no types of ours. It has no cast, and no `any`. */
const program = `import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

type Run = components["schemas"]["Run"];

const client = createClient<paths>({ baseUrl: "https://hooks.example.com", headers: { "x-api-key": "sbt_1" } });

export async function startWelcome(name: string): Promise<string> {
  const { data, error } = await client.POST("/api/v1/workflows/{slug}/runs", {
    params: { path: { slug: "welcome-email" }, header: { "idempotency-key": name } },
    body: { to: "ada@example.com", displayName: name },
  });
  if (error) throw new Error([error.detail, ...(error.errors ?? []).map(({ pointer }) => pointer)].join(" "));
  // @ts-expect-error the response has \`runId\`
  console.log(data.id);
  return data.runId;
}

export async function fire(): Promise<number> {
  const { data } = await client.POST("/api/v1/triggers/{slug}/runs", {
    params: { path: { slug: "new-signup" } },
    body: [{ name: "Ada", tags: [1, true, null] }],
  });
  return data && "runs" in data ? data.runs.length : 0;
}

export async function waitFor(id: string): Promise<Run["status"]> {
  const { data } = await client.GET("/api/v1/runs/{id}", { params: { path: { id }, query: { wait: 30 } } });
  if (!data) throw new Error("There is no such run.");
  const output: unknown = data.output;
  console.log(output, data.error?.stack?.length, data.target.kind === "agent");
  return data.status;
}

export async function failedRuns(): Promise<string[]> {
  const { data } = await client.GET("/api/v1/runs", {
    params: { query: { status: "failed", unresolved: "true", limit: 100 } },
  });
  return (data?.data ?? []).map(({ id, error, finishedAt }) => [id, error?.message, finishedAt].join(" "));
}

export async function resumeAll(): Promise<number> {
  const { data } = await client.POST("/api/v1/runs/bulk", {
    body: { action: "resume", filter: { trigger: "new-signup", unresolved: true } },
  });
  return data?.done ?? 0;
}

export async function stopped(): Promise<string[]> {
  const { data } = await client.GET("/api/v1/deliveries", { params: { query: { outcome: "skipped" } } });
  const verdicts = (data?.data ?? []).flatMap((delivery) => delivery.verdicts);
  return verdicts.flatMap(({ trigger, reasons }) => reasons.map(({ pointer, actual }) => trigger + pointer + actual));
}

export async function formats(): Promise<string[]> {
  const { data } = await client.GET("/api/v1/triggers", {});
  return (data?.data ?? []).map(({ request, filter, body, dedupe, rateLimit, prompt, reply }) =>
    [
      request["type"],
      filter?.["properties"],
      body.map((format) => (format.type === "form" ? format.field : format.type)),
      dedupe?.windowMs,
      rateLimit?.per,
      prompt?.kind === "template" ? prompt.text : null,
      reply && "headers" in reply && reply.headers["content-type"],
    ].join(),
  );
}

export async function createKey(): Promise<string | undefined> {
  const { data } = await client.POST("/api/v1/keys", { body: { kind: "webhook", name: "shop", endpoints: ["signup"] } });
  return data?.secret;
}
`;

describe("a client that openapi-typescript generates from the document", () => {
  let types = "";
  beforeAll(() => {
    mkdirSync(caches, { recursive: true });
    folder = mkdtempSync(join(caches, "generated-client-"));
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(openApiDocument()));
    const generator = join(repository, "node_modules/openapi-typescript/bin/cli.js");
    // By default, the generator requires the properties of requests that have a default.
    const args = [join(folder, "openapi.json"), "--default-non-nullable=false", "--output", join(folder, "api.d.ts")];
    execFileSync(process.execPath, ["--import", withTypeScriptFive, generator, ...args], { stdio: "pipe" });
    types = readFileSync(join(folder, "api.d.ts"), "utf8");
    const compilerOptions = { target: "es2024", module: "nodenext", strict: true, noEmit: true, types: ["node"] };
    const options = { compilerOptions, files: ["program.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("type-checks a program without casts", () => {
    writeFileSync(join(folder, "program.ts"), program);
    expect(runTsc(folder)).toEqual([]);
  });

  it("has no object without properties, whose values no program can read", () => {
    const empty = types.split("\n").filter((line) => line.includes("Record<string, never>"));
    // The parts of every document that this one does not have.
    expect(empty.filter((line) => !/^export type (webhooks|\$defs) =/.test(line))).toEqual([]);
  });
});
