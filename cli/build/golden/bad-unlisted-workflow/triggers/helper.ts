import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/_hidden";

export default defineWebhookSource({
  slug: "helper",
  endpoint: "helper",
  request: z.unknown(),
}).attach({ workflow: work });
