import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "also-code",
  endpoint: "also-code",
  request: z.date(),
}).attach({ workflow: work });
