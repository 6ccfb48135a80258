import { defineWebhookSource } from "signalbox/trigger";
import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

const work = defineWorkflow({ slug: "inline-work", input: z.unknown(), run: () => null });

export default defineWebhookSource({ slug: "inline", endpoint: "inline", request: z.unknown() }).attach({
  workflow: work,
});
