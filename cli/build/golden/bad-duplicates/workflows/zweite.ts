import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "other",
  input: z.unknown(),
  run: () => null,
});
