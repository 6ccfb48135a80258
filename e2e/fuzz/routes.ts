import { globSync } from "node:fs";
import { z } from "zod";
import { includesScope } from "../../server/contract/access/scope.ts";
import { findOperation } from "../../server/auth/access/operations.ts";
import { anonymousRoutes } from "../../server/http/anonymous-routes.ts";
import { authRoutes } from "../../server/http/auth/auth-handler.ts";
import { openApiDocument, restRoutes } from "../../server/http/rest/rest-app.ts";
import { toolsWithin } from "../../server/mcp/tool.ts";
import { tools } from "../../server/mcp/tools/all-tools.ts";
import { appRouter } from "../../server/trpc/router.ts";
import { signInBodies } from "../hostile/sign-in-bodies.ts";
import { repository } from "../support/project.ts";
import type { Draw } from "./draw.ts";
import { webhookRoutes } from "./fuzzed-project.ts";
import { type FuzzRequest, type FuzzRoute, type FuzzValues, jsonRequest, newRequest, proxyHeader } from "./request.ts";
import { type JsonSchema, valueOfSchema } from "./value-of-schema.ts";

/**
 * Every route that anonymous clients and the scope `read` may use: webhooks, the API, its tools for coding agents, the
 * internal API of the pages, the pages, and sign-in.
 */
export function listFuzzRoutes(): FuzzRoute[] {
  return [
    ...webhookRoutes,
    ...listRestRoutes(),
    ...listTools(),
    ...listProcedures(),
    ...listPages(),
    ...listAuthRoutes(),
  ];
}

interface DocumentedOperation {
  parameters?: { name: string; in: string; required?: boolean; schema?: JsonSchema; example?: unknown }[];
  requestBody?: { content?: Record<string, { schema?: JsonSchema; example?: unknown }> };
}

interface ApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}

function listRestRoutes(): FuzzRoute[] {
  const document = openApiDocument() as ApiDocument;
  const resolve = (ref: string) => document.components.schemas[ref.split("/").at(-1) ?? ""] ?? {};
  const readable = restRoutes.filter(
    ({ operation: { access } }) => access === "open" || (access !== "machine" && includesScope("read", access)),
  );
  return readable.map(({ method, path }) => {
    const operation = document.paths[path]?.[method.toLowerCase()] ?? {};
    return {
      name: `${method} ${path}`,
      request(draw, values) {
        const target = fillPath(draw, path, values) + queryOf(draw, operation, { values, resolve });
        const headers = apiHeaders(draw, values);
        const media = operation.requestBody?.content?.["application/json"];
        if (!media) return newRequest({ method, target, headers });
        const isExample = media.example !== undefined && draw.chance(0.6);
        const value = isExample ? media.example : valueOfSchema(draw, media.schema ?? {}, resolve);
        return jsonRequest({ method, target, headers }, value);
      },
    };
  });
}

function queryOf(
  draw: Draw,
  { parameters = [] }: DocumentedOperation,
  { values, resolve }: { values: FuzzValues; resolve: (ref: string) => JsonSchema },
): string {
  const pairs = parameters.flatMap(({ name, in: where, required, schema = {}, example }) => {
    if (where !== "query" || (!required && draw.chance(0.85))) return [];
    const known = name === "cursor" ? values.cursors : values.known;
    const value =
      (name === "cursor" && draw.chance(0.8)) || draw.chance(0.05)
        ? draw.pick(known)
        : example !== undefined && draw.chance(0.5)
          ? example
          : valueOfSchema(draw, schema, resolve);
    return [`${name}=${encode(typeof value === "string" ? value : JSON.stringify(value))}`];
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** `{id}` behind `runs/` is the id of a run. */
function fillPath(draw: Draw, path: string, { ids, known: others }: FuzzValues): string {
  return path.replaceAll(/([^/]*)\/\{\w+\+?\}/g, (_, segment: string) => {
    const known = ids[segment] ?? ["0"];
    return `${segment}/${encode(draw.chance(0.9) ? draw.pick(known) : draw.pick(others))}`;
  });
}

/** A lone surrogate has no UTF-8. */
const encode = (text: string | undefined) => encodeURIComponent((text ?? "").toWellFormed());

/** The API is open to tokens, to sessions of browsers, and in part to anonymous clients and webhook keys. */
function apiHeaders(draw: Draw, { host, token, cookie, webhookKey }: FuzzValues): FuzzRequest["headers"] {
  const credentials: FuzzRequest["headers"][number][] = [
    ["Authorization", `Bearer ${token}`],
    ["X-Api-Key", token],
    ["Cookie", cookie],
    ["Authorization", `Bearer ${webhookKey}`],
    ["Authorization", "Bearer sbt_guess"],
  ];
  const sent = draw.chance(0.75) ? credentials.slice(0, 1) : draw.chance(0.8) ? [draw.pick(credentials)] : [];
  return [["Host", host], ["Accept", "*/*"], ...sent, proxyHeader(draw)];
}

function listTools(): FuzzRoute[] {
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } };
  return [
    call("initialize", () => client),
    call("tools/list", () => ({})),
    ...toolsWithin("read", tools).map(({ name, input }) => {
      const schema = inputSchemaOf(input);
      return call(`tools/call ${name}`, (draw) => ({
        name,
        arguments: valueOfSchema(draw, schema, resolveIn(schema)),
      }));
    }),
  ];
}

function call(name: string, params: (draw: Draw) => unknown): FuzzRoute {
  return {
    name: `POST /mcp ${name}`,
    request(draw, values) {
      const [method = ""] = name.split(" ");
      const headers = apiHeaders(draw, values);
      headers[1] = ["Accept", "application/json, text/event-stream"];
      return jsonRequest(
        { method: "POST", target: "/mcp", headers },
        { jsonrpc: "2.0", id: 1, method, params: params(draw) },
      );
    },
  };
}

interface ProcedureDefinition {
  type: "query" | "mutation" | "subscription";
  meta?: { operation?: string };
  inputs: z.ZodType[];
}

function listProcedures(): FuzzRoute[] {
  const procedures = Object.entries(appRouter._def.procedures).map(([path, procedure]) => ({
    path,
    ...(Reflect.get(Object(procedure), "_def") as ProcedureDefinition),
  }));
  return procedures
    .filter(({ meta }) => {
      const access = findOperation(meta?.operation)?.access;
      return access !== undefined && access !== "open" && access !== "machine" && includesScope("read", access);
    })
    .map(({ path, type, inputs }) => {
      const schema = inputs[0] ? inputSchemaOf(inputs[0]) : {};
      return {
        name: `tRPC ${path}`,
        request: (draw, values) => procedureRequest(draw, values, { path, type, schema }),
      };
    });
}

function procedureRequest(
  draw: Draw,
  values: FuzzValues,
  { path, type, schema }: { path: string; type: ProcedureDefinition["type"]; schema: JsonSchema },
): FuzzRequest {
  const { known } = values;
  const input = valueOfSchema(draw, schema, resolveIn(schema));
  // Most identifiers that a schema knows nothing about are those of rows.
  const value = JSON.parse(JSON.stringify(input) ?? "null", (key, inner: unknown) =>
    typeof inner === "string" && /id$|^(slug|endpoint)$/i.test(key) && draw.chance(0.7) ? draw.pick(known) : inner,
  ) as unknown;
  const isBatch = draw.chance(0.3);
  const target = `/api/trpc/${path}${isBatch ? "?batch=1" : ""}`;
  const headers: FuzzRequest["headers"] = [
    ["Host", values.host],
    ["Accept", type === "subscription" ? "text/event-stream" : "*/*"],
    ["Origin", `http://${values.host}`],
    ["Sec-Fetch-Site", "same-origin"],
    ...(draw.chance(0.9) ? [["Cookie", values.cookie] satisfies [string, string]] : []),
    proxyHeader(draw),
  ];
  const sent = isBatch ? { 0: value } : value;
  if (type === "mutation" || draw.chance(0.1)) return jsonRequest({ method: "POST", target, headers }, sent);
  const request = newRequest({ method: "GET", target, headers });
  const put = (text: string) => void (request.target = `${target}${isBatch ? "&" : "?"}input=${encode(text)}`);
  const text = JSON.stringify(sent);
  put(text);
  request.json = { text, put };
  return request;
}

function listPages(): FuzzRoute[] {
  const files = globSync("app/**/page.tsx", { cwd: repository }).map((file) =>
    file
      .replace(/^app/, "")
      .replace(/\/page\.tsx$/, "")
      .replaceAll(/\[(\w+)\]/g, "{$1}"),
  );
  const paths = new Set([...files, ...anonymousRoutes.filter(({ isPage }) => isPage).map(({ path }) => path)]);
  return [...paths].toSorted().map((path) => ({
    name: `page ${path || "/"}`,
    request: (draw, values) =>
      newRequest({
        method: "GET",
        target: `${fillPath(draw, path, values) || "/"}${draw.chance(0.3) ? "?status=failed&text=a" : ""}`,
        headers: [
          ["Host", values.host],
          ["Accept", "text/html"],
          ...(draw.chance(0.8) ? [["Cookie", values.cookie] satisfies [string, string]] : []),
          proxyHeader(draw),
        ],
      }),
  }));
}

function listAuthRoutes(): FuzzRoute[] {
  return authRoutes.map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return {
      name: route,
      request(draw, values) {
        const headers: FuzzRequest["headers"] = [
          ["Host", values.host],
          ["Origin", `http://${values.host}`],
          ["Sec-Fetch-Site", "same-origin"],
          proxyHeader(draw),
        ];
        if (method === "GET") return newRequest({ method, target: `${path}?code=guess&state=guess`, headers });
        const body = signInBodies[path];
        if (body !== undefined)
          return jsonRequest(
            { method, target: path, headers },
            JSON.parse(body.replaceAll("{n}", String(draw.between(0, 1e6)))),
          );
        const form = draw.chance(0.5) ? `token=${values.token}&next=/runs` : "token=sbt_guess&next=//evil.example";
        headers.push(["Content-Type", "application/x-www-form-urlencoded"]);
        return newRequest({ method, target: path, headers, body: Buffer.from(form) });
      },
    };
  });
}

function inputSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
}

function resolveIn(root: JsonSchema): (ref: string) => JsonSchema {
  const definitions = (Reflect.get(root, "$defs") ?? {}) as Record<string, JsonSchema>;
  return (ref) => (ref === "#" ? root : (definitions[ref.split("/").at(-1) ?? ""] ?? {}));
}
