import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "newSignup",
  endpoint: "sign_up",
  request: z.unknown(),
}).attach({ workflow: work });
