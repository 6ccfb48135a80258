import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import unasked from "../agents/unasked";

export default defineWebhookSource({ slug: "tickets", endpoint: "tickets", request: z.object({ subject: z.string() }) }).attach({ agent: unasked, prompt: "{{ subject }}" });
