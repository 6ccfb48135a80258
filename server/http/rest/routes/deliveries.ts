import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { auditContextOf } from "../../../auth/access/audit-context.ts";
import { revealDelivery } from "../../../auth/access/reveal.ts";
import { deliveryFilterSchema, heldFilterSchema } from "../../../contract/filters.ts";
import { toStoreFilter } from "../../../domain/store-filter.ts";
import { searchPageSchema } from "../../../contract/list.ts";
import { explainDelivery } from "../../../deliveries/evaluate-again.ts";
import { filterDeliveries } from "../../../deliveries/read-deliveries.ts";
import { listDeliveries, readDelivery } from "../../../deliveries/describe-delivery.ts";
import { getDeliveryFile } from "../../../deliveries/read-deliveries.ts";
import { redeliver } from "../../../deliveries/redeliver.ts";
import { deliveryId, endpoint } from "../../../contract/fields.ts";
import { givenHeadersSchema, givenQuerySchema } from "../../../contract/delivery.ts";
import { releaseDeliveries, releaseDelivery } from "../../../deliveries/release.ts";
import { sendFromForm } from "../../../ingest/send-from-form.ts";
import { answer, body, bodyProblems, defineRoute, problems } from "../define-route.ts";
import { requireBody } from "../read-json-body.ts";
import { clientHeader, deliveryParam, noQuery, numberText, paging, queryOf, querySchema } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import {
  currentVerdicts,
  delivery,
  deliverySummary,
  json,
  releaseBatch,
  releasedDelivery,
  sentDelivery,
} from "../schemas.ts";

const listRoute = defineRoute({
  method: "get",
  path: "/api/v1/deliveries",
  operationId: "listDeliveries",
  summary: "List deliveries, newest first",
  tags: ["Deliveries"],
  request: {
    query: querySchema({ ...queryOf(deliveryFilterSchema), ...paging }),
  },
  responses: { 200: answer("One page.", searchPageSchema(deliverySummary)), ...problems(["rate_limited"]) },
});

const getRoute = defineRoute({
  method: "get",
  path: "/api/v1/deliveries/{id}",
  operationId: "getDelivery",
  summary: "Get a delivery with its body",
  tags: ["Deliveries"],
  request: { params: deliveryParam, query: noQuery },
  responses: { 200: answer("The delivery.", delivery), ...problems(["not_found", "rate_limited"]) },
});

const revealRoute = defineRoute({
  method: "post",
  path: "/api/v1/deliveries/{id}/reveal",
  operationId: "revealDelivery",
  summary: "Reveal the sensitive values of a delivery",
  description: "The delivery as it was recorded, byte for byte. The audit log records who revealed it.",
  tags: ["Deliveries"],
  request: { params: deliveryParam, query: noQuery },
  responses: { 200: answer("The delivery as recorded.", delivery), ...problems(["not_found", "rate_limited"]) },
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
      id: deliveryId,
      number: numberText(z.int().min(0)).openapi({ description: "From 0.", param: { required: true } }),
    }),
    query: noQuery,
  },
  responses: {
    200: {
      description: "The bytes of the file, as a download.",
      content: { "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) } },
    },
    ...problems(["not_found", "rate_limited"]),
  },
});

const explainRoute = defineRoute({
  method: "get",
  path: "/api/v1/deliveries/{id}/verdicts",
  operationId: "explainDelivery",
  summary: "Evaluate a delivery by the deployed triggers",
  description: "The verdicts that the stored delivery would get now. Starts and records nothing.",
  tags: ["Deliveries"],
  request: {
    params: deliveryParam,
    query: querySchema({
      trigger: z.string().optional().describe("Slug of a trigger on its endpoint."),
    }),
  },
  responses: {
    200: answer("The verdicts.", currentVerdicts),
    ...problems(["not_found", "not_replayable", "rate_limited"]),
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
    params: deliveryParam,
    query: noQuery,
    headers: clientHeader,
    body: body(
      z
        .strictObject({
          trigger: z
            .string()
            .optional()
            .describe("Slug of the one trigger that gets the delivery. Default: all on its endpoint."),
        })
        .openapi("RedeliverRequest", { description: "An empty object, or the slug of one `trigger`." }),
      false,
    ),
  },
  responses: {
    202: answer("The new delivery, with its verdicts.", delivery),
    ...problems([...bodyProblems, "not_found", "not_replayable", "queue_full"]),
  },
});

const sendRoute = defineRoute({
  method: "post",
  path: "/api/v1/deliveries",
  operationId: "sendDelivery",
  middleware: requireBody,
  summary: "Send a delivery to an endpoint",
  description:
    "Handles the body as a webhook to the endpoint, without a webhook key and without a signature. Returns the response that a sender would get, also a rejection, and the started runs.",
  tags: ["Deliveries"],
  request: {
    query: noQuery,
    body: body(
      z
        .strictObject({
          endpoint,
          body: json.describe("The body. For an endpoint that accepts forms: an object with a value for each field."),
          headers: givenHeadersSchema
            .optional()
            .describe("Headers of the request. A repeated header has an array of values. Default: none."),
          query: givenQuerySchema
            .optional()
            .describe(
              "Query of the request, percent-encoded as in a URL: `topic=refunds&shop=berlin`. The body of a GET is added to it. Default: none.",
            ),
          trigger: z
            .string()
            .optional()
            .describe("Slug of the only trigger that evaluates the body. Default: every trigger on the endpoint."),
        })
        .openapi("SendRequest"),
      true,
    ),
  },
  responses: {
    200: answer("The response to the delivery.", sentDelivery),
    ...problems([...bodyProblems, "not_found", "invalid_body"]),
  },
});

const dryRun = z
  .boolean()
  .default(false)
  .describe("Evaluate the deliveries without starting runs. Nothing is written.");

const releaseRoute = defineRoute({
  method: "post",
  path: "/api/v1/deliveries/{id}/release",
  operationId: "releaseDelivery",
  summary: "Release a held delivery",
  description:
    "Evaluates the delivery by the deployed triggers. If any matches, its runs start and the delivery is `accepted`; otherwise it stays `held`. Safe to repeat: a delivery is released once.",
  tags: ["Deliveries"],
  request: {
    params: deliveryParam,
    query: noQuery,
    headers: clientHeader,
    body: body(z.strictObject({ dryRun }).openapi("ReleaseRequest"), false),
  },
  responses: {
    200: answer("The result.", releasedDelivery),
    ...problems([...bodyProblems, "not_found", "not_replayable", "queue_full"]),
  },
});

const heldFilterNames = new Intl.ListFormat("en-GB").format(
  [...Object.keys(heldFilterSchema.shape), "all"].map((name) => `"${name}"`),
);

const releaseAllRoute = defineRoute({
  method: "post",
  path: "/api/v1/deliveries/release",
  operationId: "releaseDeliveries",
  middleware: requireBody,
  summary: "Release held deliveries",
  description:
    "Releases up to 100 deliveries by `ids`, or the next 50 that match `endpoint`, `since` and `until`, or `all` of them, oldest first. Call again with `nextCursor` until it is `null`. A delivery that cannot be released is reported as `held` or `failed`, and does not affect the others.",
  tags: ["Deliveries"],
  request: {
    query: noQuery,
    headers: clientHeader,
    body: body(
      z
        .strictObject({
          ids: z.array(z.string()).min(1).max(100).optional().describe("Ids of deliveries."),
          all: z.literal(true).optional().describe("All held deliveries."),
          ...heldFilterSchema.shape,
          cursor: paging.cursor,
          dryRun,
        })
        .refine(({ ids, cursor, ...request }) => {
          const { dryRun: _, ...filter } = request;
          const isFiltered = Object.values(filter).some((value) => value !== undefined);
          return ids ? !isFiltered && cursor === undefined : isFiltered;
        }, `Send "ids", or at least one of ${heldFilterNames}`)
        .openapi("ReleaseDeliveriesRequest"),
      true,
    ),
  },
  responses: {
    200: answer("The results of this batch.", releaseBatch),
    ...problems([...bodyProblems, "rate_limited"]),
  },
});

export function registerDeliveryRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(listRoute, async (c) => {
    const { limit, cursor, ...fields } = c.req.valid("query");
    const filter = filterDeliveries(c.env.project.current(), fields);
    return c.json(
      await listDeliveries(c.env, { filter, page: { limit, cursor: cursor ?? null, signal: c.req.raw.signal } }),
      200,
    );
  });

  app.openapi(sendRoute, async (c) => {
    const { body: sent, ...request } = c.req.valid("json");
    const answered = await sendFromForm(c.env, { ...request, text: JSON.stringify(sent) });
    const { deliveryId, runs } = answered;
    c.set("audited", {
      choice: null,
      subject: request.endpoint,
      detail: { deliveryId, runs: runs.map(({ runId }) => runId) },
    });
    return c.json(answered, 200);
  });

  app.openapi(getRoute, async (c) => c.json(await readDelivery(c.env, c.req.valid("param").id), 200));

  app.openapi(revealRoute, async (c) => {
    const auditContext = auditContextOf(c.var.principal, c.env.client.address);
    const { id } = await revealDelivery(c.env, c.req.valid("param").id, auditContext);
    return c.json(await readDelivery({ ...c.env, store: c.env.originals }, id), 200);
  });

  app.openapi(explainRoute, async (c) =>
    c.json(
      await explainDelivery(c.env, { id: c.req.valid("param").id, trigger: c.req.valid("query").trigger ?? null }),
      200,
    ),
  );

  app.openapi(fileRoute, async (c) => {
    const { id, number } = c.req.valid("param");
    const file = await getDeliveryFile(c.env, { id, at: number });
    // A neutral type, so that a browser does not open what an unknown sender sent.
    const name = encodeURIComponent(file.filename.toWellFormed()).replaceAll(
      /['()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    );
    return c.body(file.bytes, 200, {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename*=UTF-8''${name}`,
    });
  });

  app.openapi(releaseAllRoute, async (c) => {
    const { ids, all: _, cursor, dryRun: isDryRun, ...filter } = c.req.valid("json");
    const batch = await releaseDeliveries(c.env, {
      ...(ids ? { ids } : { filter: toStoreFilter(filter), cursor: cursor ?? null }),
      action: isDryRun ? "preview" : "release",
      startedBy: c.req.valid("header")["signalbox-client"] ?? "api",
    });
    if (batch.released > 0 && !isDryRun)
      c.set("audited", {
        choice: "release",
        detail: {
          released: batch.released,
          ids: batch.data.flatMap(({ id, result }) => (result === "released" ? [id] : [])),
        },
      });
    return c.json(batch, 200);
  });

  app.openapi(releaseRoute, async (c) => {
    const { dryRun: isDryRun } = c.req.valid("json");
    const released = await releaseDelivery(c.env, {
      id: c.req.valid("param").id,
      action: isDryRun ? "preview" : "release",
      startedBy: c.req.valid("header")["signalbox-client"] ?? "api",
    });
    if (released.result === "released" && !isDryRun)
      c.set("audited", { choice: "release", detail: { runs: released.runs.map(({ runId }) => runId) } });
    return c.json(released, 200);
  });

  app.openapi(redeliverRoute, async (c) => {
    const startedBy = c.req.valid("header")["signalbox-client"] ?? "api";
    const deliveryId = await redeliver(c.env, {
      id: c.req.valid("param").id,
      trigger: c.req.valid("json").trigger ?? null,
      startedBy,
    });
    return c.json(await readDelivery(c.env, deliveryId), 202, { Location: `/api/v1/deliveries/${deliveryId}` });
  });
}
