import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";

export default defineWebhookSource({ slug: "not-a-workflow", endpoint: "x", request: z.unknown() }).attach({
  workflow: { slug: "work" },
});
