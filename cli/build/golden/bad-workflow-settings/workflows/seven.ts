import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "seven",
  input: z.unknown(),
  concurrency: { perkey: 1 },
  run: () => null,
});
