import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "none",
  endpoint: "none",
  request: z.object({ id: z.string() }),
  methods: [],
}).attach({ workflow: work });
