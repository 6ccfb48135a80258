import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "three",
  input: z.unknown(),
  retries: 3,
  concurrency: { perKey: 0, whileWaiting: "sleep", onFailure: "stop", queue: true },
  run: () => null,
});
