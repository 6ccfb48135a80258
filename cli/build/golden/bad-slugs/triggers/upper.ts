import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "New Signup",
  endpoint: "/triggers/Sign Up/",
  request: z.unknown(),
}).attach({ workflow: work });
