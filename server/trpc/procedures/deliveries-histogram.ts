import { z } from "zod";
import { windowSchema } from "../../contract/window.ts";
import { filterDeliveries } from "../../deliveries/filter-deliveries.ts";
import { showHistogram } from "../../traffic/show-histogram.ts";
import { procedure } from "../trpc.ts";
import { deliveryQuery, toDeliveryQuery } from "./delivery-query.ts";

const input = z.strictObject({ ...deliveryQuery, window: windowSchema.optional() });

export const deliveriesHistogram = procedure
  .input(input)
  .query(({ ctx, input: { window, ...query } }) =>
    showHistogram(ctx, { window, filter: filterDeliveries(ctx.project.current(), toDeliveryQuery(query)) }),
  );
