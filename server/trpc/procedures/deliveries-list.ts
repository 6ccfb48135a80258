import { z } from "zod";
import { deliveryOutcomeSchema } from "../../contract/delivery.ts";
import { listDeliveries } from "../../deliveries/list-deliveries.ts";
import { procedure } from "../trpc.ts";
import { paging } from "./paging.ts";

const input = z.strictObject({ endpoint: z.string().optional(), outcome: deliveryOutcomeSchema.optional(), ...paging });

export const deliveriesList = procedure.input(input).query(({ ctx, input: { limit, cursor, ...filter } }) =>
  listDeliveries(ctx, { filter, page: { limit, cursor: cursor ?? null } }),
);
