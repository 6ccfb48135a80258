import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { orderCanceled } from "../lib/order-canceled";
import orderShipped from "../triggers/order-shipped";

export default defineWorkflow({
  slug: "fulfil",
  input: z.object({ order: z.object({ id: z.string() }) }),
  run: ({ order }) => `${order.id} waits for ${orderShipped.slug} or ${orderCanceled.slug}`,
});
