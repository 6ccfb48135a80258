import { z } from "zod";
import { filterDeliveries } from "../../deliveries/filter-deliveries.ts";
import { listDeliveries } from "../../deliveries/list-deliveries.ts";
import { procedure } from "../trpc.ts";
import { deliveryQuery, toDeliveryQuery } from "./delivery-query.ts";
import { paging, toPage } from "./paging.ts";

const input = z.strictObject({ ...deliveryQuery, redeliveryOf: z.string().optional(), ...paging });

export const deliveriesList = procedure
  .input(input)
  .query(({ ctx, input: { limit, cursor, redeliveryOf, ...query } }) =>
    listDeliveries(ctx, {
      filter: filterDeliveries(ctx.project.current(), { ...toDeliveryQuery(query), redeliveryOf }),
      page: toPage({ limit, cursor }),
    }),
  );
