import { z } from "zod";
import { revealDelivery } from "../../auth/access/reveal.ts";
import { givenHeadersSchema, givenQuerySchema } from "../../contract/delivery.ts";
import { deliveryFilterSchema, heldFilterSchema } from "../../contract/filters.ts";
import { toStoreFilter } from "../../domain/store-filter.ts";
import { windowSchema } from "../../contract/traffic.ts";
import { compareDeliveries } from "../../deliveries/compare-deliveries.ts";
import { listDeliveryRows, showDelivery } from "../../deliveries/describe-delivery.ts";
import { filterDeliveries } from "../../deliveries/read-deliveries.ts";
import { redeliver } from "../../deliveries/redeliver.ts";
import { releaseDeliveries, releaseDelivery } from "../../deliveries/release.ts";
import { sendFromForm } from "../../ingest/send-from-form.ts";
import { showHistogram } from "../../traffic/show-histogram.ts";
import { procedure, router } from "../trpc.ts";
import { jsonText, livePaging, toLivePage } from "./input-schemas.ts";

const releaseAction = z.enum(["release", "preview"]);

export const deliveriesRouter = router({
  list: procedure("listDeliveries")
    .input(deliveryFilterSchema.extend(livePaging))
    .query(({ ctx, signal, input: { limit, cursor, newerThan, ...fields } }) =>
      listDeliveryRows(ctx, {
        filter: filterDeliveries(ctx.project.current(), fields),
        page: { ...toLivePage({ limit, cursor, newerThan }), signal },
      }),
    ),

  histogram: procedure("showHistogram")
    .input(deliveryFilterSchema.extend({ window: windowSchema.optional() }))
    .query(({ ctx, input: { window, ...fields } }) =>
      showHistogram(ctx, { window, filter: filterDeliveries(ctx.project.current(), fields) }),
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
        heldFilterSchema.extend({ action: releaseAction, cursor: livePaging.cursor }),
      ]),
    )
    .mutation(({ ctx, input }) => {
      const startedBy = "form";
      if ("ids" in input) return releaseDeliveries(ctx, { ...input, startedBy });
      const { action, cursor = null, ...filter } = input;
      return releaseDeliveries(ctx, { action, startedBy, filter: toStoreFilter(filter), cursor });
    }),

  /** To every trigger on the endpoint, or to one. */
  redeliver: procedure("redeliver")
    .input(z.strictObject({ id: z.string(), trigger: z.string().nullable() }))
    .mutation(async ({ ctx, input }) => ({ deliveryId: await redeliver(ctx, { ...input, startedBy: "form" }) })),
});
