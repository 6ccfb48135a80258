import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "hidden",
  input: z.unknown(),
  run: () => null,
});
