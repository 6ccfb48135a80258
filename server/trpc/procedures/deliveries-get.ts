import { z } from "zod";
import { getDelivery } from "../../deliveries/get-delivery.ts";
import { procedure } from "../trpc.ts";

export const deliveriesGet = procedure.input(z.strictObject({ id: z.string() })).query(({ ctx, input }) => getDelivery(ctx, input.id));
