import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "differs",
  endpoint: "differs",
  request: work.timeout ? z.string() : z.number(),
}).attach({ workflow: work });
