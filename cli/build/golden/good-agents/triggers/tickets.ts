import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import triage from "../agents/triage";

export default defineWebhookSource({
  slug: "tickets",
  endpoint: "tickets",
  request: z.object({ subject: z.string(), customer: z.object({ email: z.email() }).optional(), more: z.record(z.string(), z.string()) }),
}).attach({ agent: triage, prompt: "New ticket from {{ customer.email }}: {{ subject }} {{ more.lang }}" });
