import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "one",
  input: z.unknown(),
  retries: {
    attempts: 0,
    backoff: "linear",
    initialDelay: "soon",
    maxDelay: -1,
    jitter: true,
  },
  timeout: "5 minutes",
  concurrency: 1.5,
  maxQueued: 0,
  run: () => null,
});
