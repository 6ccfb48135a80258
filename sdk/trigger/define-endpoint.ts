import { checkNames, checkOptions, checkText } from "../check-shape.ts";
import type { Schema, SchemaInput } from "../schema.ts";
import {
  type FieldsOf,
  type PayloadOf,
  type PlainOptions,
  type WebhookSource,
  type WebhookSourceOptions,
  createSource,
  endpointOptions,
} from "./define-webhook-source.ts";
import type { ValidFilter } from "./filter.ts";

/** Options of `defineEndpoint`: all that applies to the endpoint, once for all its sources. */
export interface EndpointOptions<Headers extends Schema = Schema, Query extends Schema = Schema> extends Omit<
  WebhookSourceOptions<string, Schema, Headers, Schema, Query>,
  "slug" | "request" | "filter"
> {}

/** Options of `endpoint.source`. */
export interface EndpointSourceOptions<
  Slug extends string,
  Request extends Schema,
  Headers extends Schema,
  Filter = Schema,
  Query extends Schema = Schema,
> extends Pick<
  WebhookSourceOptions<Slug, Request, Headers, Filter, Query>,
  "slug" | "request" | "filter" | "headers" | "query"
> {}

/** An endpoint. `Headers` and `Query` are the output types of its `headers` and `query`. */
export interface Endpoint<Headers = {}, Query = {}> {
  /**
   * Defines a source on this endpoint. `headers` and `query` replace those of the endpoint. Throws a TypeError if
   * `slug` is not a string, or `request`, `filter`, `headers` or `query` is not a Zod schema.
   *
   * @example
   *   github
   *     .source({ slug: "new-issue", request: z.object({ action: z.literal("opened") }) })
   *     .attach({ workflow: triage });
   */
  source<
    Slug extends string,
    Request extends Schema,
    Own extends Schema = never,
    Filter extends Schema = never,
    OwnQuery extends Schema = never,
  >(
    options: EndpointSourceOptions<Slug, Request, Own, Filter, OwnQuery> &
      ValidFilter<SchemaInput<Request>, SchemaInput<Filter>>,
  ): WebhookSource<Slug, PayloadOf<Request, Filter>, FieldsOf<Own, Headers>, FieldsOf<OwnQuery, Query>>;
}

/**
 * Defines an endpoint for several triggers, in one place: its signature verification, deduplication, rate limit, body
 * format, headers, query and responses. Export it from a file outside `triggers/`, and import it in each trigger.
 * Throws a TypeError if `endpoint` is not a string, or an option has the wrong type.
 *
 * @example
 *   // lib/github.ts
 *   import { defineEndpoint } from "signalbox/trigger";
 *   import { github } from "signalbox/verify";
 *
 *   export const fromGithub = defineEndpoint({
 *     endpoint: "github",
 *     verify: github({ secret: process.env.GITHUB_SECRET }),
 *     onMismatch: "skip",
 *   });
 */
export function defineEndpoint<Headers extends Schema = never, Query extends Schema = never>(
  options: EndpointOptions<Headers, Query>,
): Endpoint<FieldsOf<Headers>, FieldsOf<Query>>;
export function defineEndpoint(options: Omit<PlainOptions, "slug" | "request" | "filter" | "event">): object {
  checkOptions(options, "defineEndpoint", 'defineEndpoint({ endpoint: "github" })');
  const given = checkNames(options, "defineEndpoint", endpointOptions);
  checkText(given.endpoint, "endpoint", "defineEndpoint", "github");
  return Object.freeze({
    source(own: Pick<PlainOptions, "slug" | "request" | "filter" | "headers" | "query" | "event">) {
      checkOptions(own, "endpoint.source", "endpoint.source({ slug, request })");
      checkNames(own, "endpoint.source", ["slug", "request", "filter", "headers", "query", "event"]);
      const { slug, request, filter, event, headers = given.headers, query = given.query } = own;
      return createSource({ ...given, slug, request, filter, event, headers, query }, "endpoint.source");
    },
  });
}
