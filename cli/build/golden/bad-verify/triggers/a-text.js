import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "a-text",
  endpoint: "a-text",
  request: z.object({}),
  verify: "github",
}).attach({ workflow: work });
