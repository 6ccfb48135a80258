import { defineWebhookSource } from "signalbox/trigger";
import { github } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "unsigned",
  endpoint: "unsigned",
  request: z.object({ id: z.string() }),
  methods: ["POST", "GET"],
  verify: github({ secret: "the secret of a test project" }),
}).attach({ workflow: work });
