import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "plain-schema",
  endpoint: "plain-schema",
  request: { name: "string" },
}).attach({ workflow: work });
