import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import failing from "../workflows/failing";

export default defineWebhookSource({
  slug: "through",
  endpoint: "through",
  request: z.unknown(),
}).attach({ workflow: failing });
