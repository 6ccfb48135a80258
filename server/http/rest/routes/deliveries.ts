import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { timestampMs } from "../../../contract/list.ts";
import { searchPageSchema } from "../../../contract/list.ts";
import { filterDeliveries } from "../../../deliveries/read-deliveries.ts";
import { getDelivery, getDeliveryFile } from "../../../deliveries/read-deliveries.ts";
import { listDeliveries } from "../../../deliveries/read-deliveries.ts";
import { redeliver } from "../../../deliveries/redeliver.ts";
import { answer, body, bodyProblems, defineRoute, problems } from "../define-route.ts";
import { clientHeader, deliveryFilter, idParam, noQuery, paging, querySchema } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { delivery, deliverySummary } from "../schemas.ts";

const listRoute = defineRoute({
  method: "get",
  path: "/api/v1/deliveries",
  operationId: "listDeliveries",
  summary: "List deliveries, newest first",
  tags: ["Deliveries"],
  request: {
    query: querySchema({ ...deliveryFilter, ...paging }),
  },
  responses: { 200: answer("One page.", searchPageSchema(deliverySummary)), ...problems(["rate_limited"]) },
});

const getRoute = defineRoute({
  method: "get",
  path: "/api/v1/deliveries/{id}",
  operationId: "getDelivery",
  summary: "Get a delivery with its body",
  tags: ["Deliveries"],
  request: { params: idParam, query: noQuery },
  responses: { 200: answer("The delivery.", delivery), ...problems(["not_found"]) },
});

const fileRoute = defineRoute({
  method: "get",
  path: "/api/v1/deliveries/{id}/files/{number}",
  operationId: "getDeliveryFile",
  summary: "Get a file of a multipart body",
  description: "The value of the file in the payload has this path, its name, its type, its size and its SHA-256.",
  tags: ["Deliveries"],
  request: {
    params: z.object({
      id: z.string(),
      number: z.coerce
        .number()
        .int()
        .min(0)
        .openapi({ description: "From 0.", param: { required: true } }),
    }),
    query: noQuery,
  },
  responses: {
    200: {
      description: "The bytes of the file, as a download.",
      content: { "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) } },
    },
    ...problems(["not_found"]),
  },
});

const redeliverRoute = defineRoute({
  method: "post",
  path: "/api/v1/deliveries/{id}/redeliver",
  operationId: "redeliver",
  summary: "Redeliver a delivery, byte for byte",
  description:
    "Evaluates the stored body against the deployed triggers, or against one of them. Creates a new delivery with new runs.",
  tags: ["Deliveries"],
  request: {
    params: idParam,
    query: noQuery,
    headers: clientHeader,
    body: body(
      z
        .strictObject({ trigger: z.string().optional() })
        .openapi("RedeliverRequest", { description: "An empty object, or the slug of one `trigger`." }),
      false,
    ),
  },
  responses: {
    202: answer("The new delivery, with its verdicts.", delivery),
    ...problems([...bodyProblems, "not_found", "not_replayable", "queue_full"]),
  },
});

export function registerDeliveryRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(listRoute, async (c) => {
    const { limit, cursor, status, since, until, ...rest } = c.req.valid("query");
    const query = { ...rest, responseStatus: status, since: timestampMs(since), until: timestampMs(until) };
    const filter = filterDeliveries(c.env.project.current(), query);
    return c.json(
      await listDeliveries(c.env, { filter, page: { limit, cursor: cursor ?? null, signal: c.req.raw.signal } }),
      200,
    );
  });

  app.openapi(getRoute, async (c) => c.json(await getDelivery(c.env, c.req.valid("param").id), 200));

  app.openapi(fileRoute, async (c) => {
    const { id, number } = c.req.valid("param");
    const file = await getDeliveryFile(c.env, { id, at: number });
    // A neutral type, so that a browser does not open what an unknown sender sent.
    const name = encodeURIComponent(file.name).replaceAll(
      /['()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    );
    return c.body(await file.arrayBuffer(), 200, {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename*=UTF-8''${name}`,
    });
  });

  app.openapi(redeliverRoute, async (c) => {
    const startedBy = c.req.valid("header")["signalbox-client"] ?? "api";
    const deliveryId = await redeliver(c.env, {
      id: c.req.valid("param").id,
      trigger: c.req.valid("json").trigger ?? null,
      startedBy,
    });
    return c.json(await getDelivery(c.env, deliveryId), 202, { Location: `/api/v1/deliveries/${deliveryId}` });
  });
}
