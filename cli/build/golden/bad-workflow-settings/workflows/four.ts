import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "four",
  input: z.unknown(),
  concurrency: {},
  run: () => null,
});
