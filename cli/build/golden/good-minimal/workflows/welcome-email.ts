import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "welcome-email",
  input: z.object({ to: z.email(), displayName: z.string() }),
  output: z.object({ messageId: z.string() }),
  retries: { attempts: 5, backoff: "fixed", initialDelay: "10s" },
  timeout: "5m",
  concurrency: 10,
  maxQueued: 1000,
  async run(input) {
    return { messageId: `to-${input.to}` };
  },
});
