import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "misplaced",
  input: z.unknown(),
  run: () => null,
});
