import type { Context, MiddlewareHandler, Next } from "hono";
import { z } from "zod";
import { ownerOf } from "../../auth/access/principal.ts";
import { AppError } from "../../contract/app-error.ts";
import { ownHeaders } from "../../contract/own-headers.ts";
import { type BodyMemory, readWithin, requireJsonType, parseJsonBody } from "../../domain/requests/request-body.ts";
import { bigintsFor } from "../../triggers/find-triggers.ts";
import type { RestEnv } from "./rest-deps.ts";

/**
 * Reads the body of a request within the limit, and rejects bodies that are not plain JSON before the schema of the
 * route. An empty body counts as none, with any Content-Type. Numbers in the body of a webhook are read as those of the
 * trigger; a header of the response lists the paths of rounded ones.
 */
export const readJsonBody: MiddlewareHandler<RestEnv> = async (c, next) => {
  const { raw } = c.req;
  if (raw.body === null || raw.method === "GET" || raw.method === "HEAD") return next();
  const memory = c.env.bodies.open(ownerOf(c.var.principal));
  try {
    return await readThen(c, { memory, next });
  } finally {
    memory.free();
  }
};

async function readThen(c: Context<RestEnv>, { memory, next }: { memory: BodyMemory; next: Next }): Promise<void> {
  const { raw } = c.req;
  const bytes = await readWithin(raw, c.env.maxBodyBytes, memory);
  const headers = new Headers(raw.headers);
  if (bytes.length === 0) {
    headers.delete("content-type");
    c.req.raw = new Request(raw.url, { method: raw.method, headers, signal: raw.signal });
    return next();
  }
  requireJsonType(raw.headers);
  const { json, rounded } = parseJsonBody(bytes, { bigints: bigintsOfRequest(c, bytes) });
  // The validators behind accept only application/json, not every */*+json.
  headers.set("content-type", "application/json");
  c.req.raw = new Request(raw.url, { method: raw.method, headers, body: JSON.stringify(json), signal: raw.signal });
  await next();
  if (rounded.length > 0) c.header(ownHeaders.rounded, listInHeader(rounded));
}

/** Many clients accept 8 kB of headers. */
const maxListed = 4_000;

/** Texts as JSON in ASCII, as many as fit into a header. */
function listInHeader(texts: readonly string[]): string {
  let length = 0;
  const listed = texts
    .map((text) => JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, escapeUnit))
    .filter((text) => (length += text.length + 1) <= maxListed);
  return `[${listed.join(",")}]`;
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Only the body of a webhook has a trigger, which decides how its numbers are read. */
function bigintsOfRequest(c: Context<RestEnv>, bytes: Uint8Array<ArrayBuffer>): "number" | "string" {
  const sources = () => c.env.project.current();
  const [, slug] = /^\/api\/v1\/triggers\/([^/]+)\/runs$/.exec(c.req.path) ?? [];
  if (slug !== undefined) return bigintsFor(sources(), { trigger: slug });
  if (c.req.path !== "/api/v1/verdicts") return "number";
  const { json } = parseJsonBody(bytes, { bigints: "string" });
  const { trigger, endpoint } = verdictsOf.catch({}).parse(json);
  return bigintsFor(sources(), { trigger, endpoint });
}

const verdictsOf = z.object({ trigger: z.string().optional(), endpoint: z.string().optional() });

/** For routes that require a body. */
export const requireBody: MiddlewareHandler<RestEnv> = async (c, next) => {
  if (c.req.raw.body === null) throw new AppError("invalid_json", "The body is empty. Send JSON.");
  return next();
};
