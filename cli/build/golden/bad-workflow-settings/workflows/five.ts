import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "five",
  input: z.unknown(),
  concurrency: { limit: 5, onFailure: "block" },
  run: () => null,
});
