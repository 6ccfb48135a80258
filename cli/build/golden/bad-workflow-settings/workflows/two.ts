import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "two",
  input: z.unknown(),
  retries: { initialDelay: "2h" },
  timeout: 0,
  concurrency: Infinity,
  maxQueued: "100",
  versions: "newest",
  run: () => null,
});
