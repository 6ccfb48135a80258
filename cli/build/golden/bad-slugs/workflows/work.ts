import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "Do-Work-",
  input: z.unknown(),
  run: () => null,
});
