import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "audit",
  input: z.object({ order: z.object({ id: z.string() }) }),
  run: ({ order }) => order.id,
});
