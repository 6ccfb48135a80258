import { z } from "zod";
import { deliveryOutcomeSchema } from "../../contract/delivery.ts";
import { momentMs, momentSchema } from "../../contract/moment.ts";
import { filterDeliveries, verdictChoices } from "../../deliveries/filter-deliveries.ts";
import { listDeliveries } from "../../deliveries/list-deliveries.ts";
import { procedure } from "../trpc.ts";
import { paging, toPage } from "./paging.ts";
import { searchText } from "./search-text.ts";

const input = z.strictObject({
  endpoint: z.string().optional(),
  outcome: deliveryOutcomeSchema.optional(),
  status: z.int().min(100).max(599).optional(),
  trigger: z.string().optional(),
  verdict: z.enum(verdictChoices).optional(),
  since: momentSchema.optional(),
  until: momentSchema.optional(),
  text: searchText.optional(),
  redeliveryOf: z.string().optional(),
  ...paging,
});

export const deliveriesList = procedure.input(input).query(({ ctx, input: { limit, cursor, since, until, status, ...rest } }) => {
  const query = { ...rest, responseStatus: status, since: momentMs(since), until: momentMs(until) };
  return listDeliveries(ctx, { filter: filterDeliveries(ctx.project.current(), query), page: toPage({ limit, cursor }) });
});
