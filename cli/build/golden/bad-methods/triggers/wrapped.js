import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "wrapped",
  endpoint: "wrapped",
  request: z.object({ id: z.string() }),
  methods: ["POST", "GET"],
  body: { type: "form", field: "payload" },
}).attach({ workflow: work });
