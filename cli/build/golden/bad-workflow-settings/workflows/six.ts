import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "six",
  input: z.unknown(),
  concurrency: "10",
  run: () => null,
});
