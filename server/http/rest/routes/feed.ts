import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { ownerOf, requireAccess } from "../../../auth/access/principal.ts";
import { createAttemptLimit } from "../../../auth/limits/attempt-limit.ts";
import { AppError } from "../../../contract/app-error.ts";
import { timestampMs } from "../../../contract/list.ts";
import { type FeedEvent, findFeedStart, followFeed } from "../../../deliveries/feed.ts";
import { retentionCutoff } from "../../../upkeep/start-upkeep.ts";
import { defineRoute, problems } from "../define-route.ts";
import { moment, querySchema } from "../request-schemas.ts";
import type { RestDeps, RestEnv } from "../rest-deps.ts";
import { freeAfter, type SseEvent, sseResponse, takeStreamSlot } from "../streaming-responses.ts";

const cursor = z.string().max(100).optional();

const feedRoute = defineRoute({
  method: "get",
  path: "/api/v1/deliveries/feed",
  operationId: "followDeliveries",
  summary: "Follow the deliveries",
  description:
    "Server-sent events: `delivery` for each delivery, in the order in which they were recorded, as a line of `GET /deliveries/export` has it, with its `body` in base64. `position` is sent first, and after each ten seconds of silence. The `id` of an event is the cursor after it: a client that continues there misses no delivery and gets none twice. The feed has no repeats, no handshakes, and no requests that were rejected before their body was evaluated. A token with the scope `feed` is sufficient. Each connection has an entry in the audit log, so a token may open 30 a minute.",
  tags: ["Deliveries"],
  request: {
    query: querySchema({
      endpoint: z
        .union([z.string(), z.array(z.string()).max(50)])
        .optional()
        .describe("Only deliveries to this endpoint. Repeat the parameter for several endpoints."),
      since: moment.describe(
        "ISO 8601: starts with the first delivery received at or after this time. Default: the next one.",
      ),
      cursor: cursor.describe("The `id` of the last event. Replaces `since`."),
    }),
    headers: z.object({
      "last-event-id": cursor.describe("The same as `cursor`, which it replaces: for a reconnect."),
    }),
  },
  responses: {
    200: { description: "The stream. It does not end.", content: { "text/event-stream": { schema: z.string() } } },
    ...problems(["cursor_expired", "rate_limited"]),
  },
});

/** Each has an entry in the audit log. A reader that is interrupted connects again every two seconds at most. */
const connectionsPerMinute = 30;

export function registerFeedRoute(app: OpenAPIHono<RestEnv>): void {
  const limitConnections = createAttemptLimit({ perMinute: connectionsPerMinute });
  app.openapi(feedRoute, async (c) => {
    limitConnections(ownerOf(c.var.principal), c.env.clock.now());
    const { endpoint, since, cursor: given } = c.req.valid("query");
    const endpoints = endpoint === undefined ? null : [endpoint].flat();
    const { store, clock, retention, stopping, logger } = c.env;
    const from = await findFeedStart(c.env, {
      cursor: c.req.valid("header")["last-event-id"] ?? given ?? null,
      since: timestampMs(since) ?? null,
      removedBefore: await retentionCutoff({ store, retention, now: clock.now() }),
    });
    const free = takeStreamSlot(c, "feed");
    c.set("audited", {
      choice: "open",
      detail: { ...namedEndpoints(endpoints), since: new Date(from.since).toISOString() },
    });
    return sseResponse({
      open: (disconnected) => {
        const signal = AbortSignal.any([disconnected, c.req.raw.signal]);
        const isPermitted = () => mayStillFollow(c.env, c.req.raw);
        return freeAfter(toEvents(followFeed(c.env, { from, endpoints, isPermitted, signal })), free);
      },
      stopping,
      onError: (error) => logger.warn("feed of deliveries interrupted", { error }),
    });
  });
}

function namedEndpoints(endpoints: string[] | null): Record<string, string | string[] | null> {
  return endpoints && endpoints.length > 1 ? { endpoints } : { endpoint: endpoints?.[0] ?? null };
}

/** A revoked token, or a removed person, gets no further delivery. */
async function mayStillFollow({ authenticate }: RestDeps, request: Request): Promise<boolean> {
  try {
    requireAccess(await authenticate(request), "feed");
    return true;
  } catch (error) {
    if (error instanceof AppError && (error.code === "unauthorized" || error.code === "forbidden")) return false;
    throw error;
  }
}

async function* toEvents(events: AsyncIterable<FeedEvent>): AsyncGenerator<SseEvent> {
  for await (const event of events)
    yield {
      id: event.cursor,
      event: event.type,
      data: event.type === "delivery" ? event.delivery : {},
    };
}
