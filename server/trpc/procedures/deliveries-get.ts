import { z } from "zod";
import { getDelivery } from "../../deliveries/get-delivery.ts";
import { probableEndpoint } from "../../deliveries/probable-endpoint.ts";
import { procedure } from "../trpc.ts";

/** `probableEndpoint`: which one a delivery to an unknown endpoint was probably meant for. */
export const deliveriesGet = procedure.input(z.strictObject({ id: z.string() })).query(async ({ ctx, input }) => {
  const delivery = await getDelivery(ctx, input.id);
  return { ...delivery, probableEndpoint: probableEndpoint(ctx, delivery) };
});
