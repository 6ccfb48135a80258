import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import newOrder from "../triggers/new-order";

export default defineWorkflow({
  slug: "fulfil",
  input: z.object({ order: z.object({ id: z.string() }) }),
  run: ({ order }) => `${order.id} waits for ${newOrder.source.slug}`,
});
