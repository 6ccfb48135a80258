import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "nested-field",
  endpoint: "nested-field",
  request: z.object({ issue: z.object({ labels: z.array(z.object({ name: z.string() })) }) }),
  filter: z.object({ issue: z.object({ labels: z.array(z.object({ nmae: z.literal("bug") })) }) }),
}).attach({ workflow: work });
