import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "three",
  input: z.unknown(),
  retries: 3,
  run: () => null,
});
