import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "always-test",
  endpoint: "always-test",
  request: z.object({ id: z.string() }),
  methods: ["GET"],
  challenge: "mailchimp",
}).attach({ workflow: work });
