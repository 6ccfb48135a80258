import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";

export const billing = defineWebhookSource({ slug: "paid", endpoint: "billing/stripe", request: z.object({ id: z.string() }) });
