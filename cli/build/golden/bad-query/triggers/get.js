import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "get",
  endpoint: "get",
  request: z.object({ id: z.string() }),
  methods: ["GET"],
  query: z.object({ topic: z.string() }),
}).attach({ workflow: work });
