import type { z } from "@hono/zod-openapi";
import { type ErrorCode, errorCodes } from "../../contract/error-codes.ts";
import { problem } from "./schemas.ts";

/** One JSON answer in the OpenAPI document. */
export function answer<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { "application/json": { schema } } };
}

/** A JSON body in the OpenAPI document; the schema is also what validates it. */
export function body<Schema extends z.ZodType>(schema: Schema, required: boolean) {
  return { required, content: { "application/json": { schema } } };
}

/** What any route behind a key may answer. */
const everywhere: readonly ErrorCode[] = [
  "invalid_request",
  "unauthorized",
  "forbidden",
  "store_unavailable",
  "internal",
];

/** What a route with a body may answer besides. */
export const bodyProblems: readonly ErrorCode[] = [
  "invalid_json",
  "unsupported_media_type",
  "body_too_large",
  "overloaded",
  "invalid_input",
];

/**
 * The problems that a route may answer, by status. Typed as nothing: handlers throw AppErrors and never return these,
 * so they have no part in a handler's type.
 */
export function problems(codes: readonly ErrorCode[] = []): Record<never, never> {
  const byStatus = Map.groupBy(new Set([...everywhere, ...codes]), (code) => errorCodes[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${errorCodes[code].title}.`).join(" "),
        content: { "application/problem+json": { schema: problem } },
      },
    ]),
  );
}
