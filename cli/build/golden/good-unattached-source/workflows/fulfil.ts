import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { order } from "../lib/order";

export default defineWorkflow({
  slug: "fulfil",
  input: z.object({ order }),
  run: (input) => input.order.id,
});
