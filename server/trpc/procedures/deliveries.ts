import { z } from "zod";
import { revealDelivery } from "../../auth/access/reveal.ts";
import { deliveryOutcomeSchema, givenHeadersSchema, givenQuerySchema } from "../../contract/delivery.ts";
import { timestampMs, timestampSchema } from "../../contract/list.ts";
import { windowSchema } from "../../contract/traffic.ts";
import { compareDeliveries } from "../../deliveries/compare-deliveries.ts";
import { listDeliveryRows, showDelivery } from "../../deliveries/describe-delivery.ts";
import { filterDeliveries, verdictChoices } from "../../deliveries/read-deliveries.ts";
import { redeliver } from "../../deliveries/redeliver.ts";
import { releaseDeliveries, releaseDelivery } from "../../deliveries/release.ts";
import { dropUndefined } from "../../domain/drop-undefined.ts";
import { sendFromForm } from "../../ingest/send-from-form.ts";
import { showHistogram } from "../../traffic/show-histogram.ts";
import { procedure, router } from "../trpc.ts";
import { jsonText, livePaging, searchText, toLivePage } from "./input-schemas.ts";

/** The filter of the list of deliveries and of its histogram. */
const deliveryQuery = z.strictObject({
  endpoint: z.string().optional(),
  outcome: deliveryOutcomeSchema.optional(),
  status: z.int().min(100).max(599).optional(),
  trigger: z.string().optional(),
  verdict: z.enum(verdictChoices).optional(),
  since: timestampSchema.optional(),
  until: timestampSchema.optional(),
  text: searchText.optional(),
});

function toDeliveryQuery({ since, until, status, ...rest }: z.output<typeof deliveryQuery>) {
  return { ...rest, responseStatus: status, since: timestampMs(since), until: timestampMs(until) };
}

const releaseAction = z.enum(["release", "preview"]);

export const deliveriesRouter = router({
  list: procedure("listDeliveries")
    .input(deliveryQuery.extend({ redeliveryOf: z.string().optional(), ...livePaging }))
    .query(({ ctx, signal, input: { limit, cursor, newerThan, redeliveryOf, ...query } }) =>
      listDeliveryRows(ctx, {
        filter: filterDeliveries(ctx.project.current(), { ...toDeliveryQuery(query), redeliveryOf }),
        page: { ...toLivePage({ limit, cursor, newerThan }), signal },
      }),
    ),

  histogram: procedure("showHistogram")
    .input(deliveryQuery.extend({ window: windowSchema.optional() }))
    .query(({ ctx, input: { window, ...query } }) =>
      showHistogram(ctx, { window, filter: filterDeliveries(ctx.project.current(), toDeliveryQuery(query)) }),
    ),

  get: procedure("getDelivery")
    .input(z.strictObject({ id: z.string() }))
    .query(({ ctx, input }) => showDelivery(ctx, input.id)),

  compare: procedure("getDelivery")
    .input(z.strictObject({ id: z.string(), other: z.string() }))
    .query(({ ctx, input }) => compareDeliveries(ctx, input)),

  /** The delivery as it was recorded, with its sensitive values. A mutation, because it writes an audit entry. */
  reveal: procedure("revealDelivery")
    .input(z.strictObject({ id: z.string() }))
    .mutation(async ({ ctx, input }) => {
      await revealDelivery(ctx, input.id, ctx.auditContext);
      return showDelivery({ ...ctx, store: ctx.originals }, input.id);
    }),

  /**
   * Sends a delivery as a webhook with this body, these headers and this query would be. Returns the response of the
   * receiver, also a rejection.
   */
  send: procedure("sendDelivery")
    .input(
      z.strictObject({
        endpoint: z.string(),
        text: jsonText,
        headers: givenHeadersSchema.optional(),
        query: givenQuerySchema.optional(),
        /** The only trigger that evaluates it. */
        trigger: z.string().optional(),
      }),
    )
    .mutation(({ ctx, input }) => sendFromForm(ctx, input)),

  /** Starts the runs of a held delivery if triggers match now. */
  release: procedure("releaseDelivery")
    .input(z.strictObject({ id: z.string(), action: releaseAction }))
    .mutation(({ ctx, input }) => releaseDelivery(ctx, { ...input, startedBy: "form" })),

  /** The same for these deliveries, or for the next ones of a filter, oldest first. */
  releaseAll: procedure("releaseDeliveries")
    .input(
      z.union([
        z.strictObject({ action: releaseAction, ids: z.array(z.string()).min(1).max(100) }),
        z.strictObject({
          action: releaseAction,
          endpoint: z.string().optional(),
          since: timestampSchema.optional(),
          until: timestampSchema.optional(),
          cursor: livePaging.cursor,
        }),
      ]),
    )
    .mutation(({ ctx, input }) => {
      const options = { action: input.action, startedBy: "form" as const };
      if ("ids" in input) return releaseDeliveries(ctx, { ...options, ids: input.ids });
      const { endpoint, since, until, cursor = null } = input;
      const filter = dropUndefined({ endpoint, since: timestampMs(since), until: timestampMs(until) });
      return releaseDeliveries(ctx, { ...options, filter, cursor });
    }),

  /** To every trigger on the endpoint, or to one. */
  redeliver: procedure("redeliver")
    .input(z.strictObject({ id: z.string(), trigger: z.string().nullable() }))
    .mutation(async ({ ctx, input }) => ({ deliveryId: await redeliver(ctx, { ...input, startedBy: "form" }) })),
});
