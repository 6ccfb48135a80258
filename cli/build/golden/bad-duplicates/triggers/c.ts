import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import other from "../workflows/other";

export default defineWebhookSource({
  slug: "signup",
  endpoint: "elsewhere",
  request: z.unknown(),
}).attach({ workflow: other });
