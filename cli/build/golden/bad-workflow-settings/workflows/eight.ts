import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "eight",
  input: z.unknown(),
  concurrency: { limit: 1, perKey: 5 },
  run: () => null,
});
