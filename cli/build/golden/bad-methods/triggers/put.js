import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "put",
  endpoint: "put",
  request: z.object({ id: z.string() }),
  methods: ["PUT"],
}).attach({ workflow: work });
