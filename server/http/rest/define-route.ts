import { createRoute, type RouteConfig, type z } from "@hono/zod-openapi";
import type { OperationId } from "../../auth/access/operations.ts";
import { type ErrorCode, errorCodes } from "../../contract/error-codes.ts";
import { problem } from "./schemas.ts";

/** Defines a route. Its `operationId` refers to the table of operations, which defines its permissions. */
export function defineRoute<
  Path extends string,
  Route extends Omit<RouteConfig, "path"> & { path: Path; operationId: OperationId },
>(route: Route) {
  return createRoute<Path, Route>(route);
}

/** A JSON response in the OpenAPI document. */
export function answer<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { "application/json": { schema } } };
}

/** A JSON body in the OpenAPI document. The schema also validates requests. */
export function body<Schema extends z.ZodType>(schema: Schema, required: boolean) {
  return { required, content: { "application/json": { schema } } };
}

/** The problems of every route that needs a key. */
const commonProblems: readonly ErrorCode[] = [
  "invalid_request",
  "unauthorized",
  "forbidden",
  "store_unavailable",
  "web_unavailable",
  "internal",
];

/** Further problems of routes with a body. */
export const bodyProblems: readonly ErrorCode[] = [
  "invalid_json",
  "unsupported_media_type",
  "body_too_large",
  "overloaded",
  "invalid_input",
];

/**
 * The problems of a route, by status. The type is empty, because handlers throw AppErrors and never return these
 * responses.
 */
export function problems(codes: readonly ErrorCode[] = []): Record<never, never> {
  const byStatus = Map.groupBy(new Set([...commonProblems, ...codes]), (code) => errorCodes[code].status);
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
