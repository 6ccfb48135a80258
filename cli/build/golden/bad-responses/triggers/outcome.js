import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "outcome",
  endpoint: "outcome",
  request: z.object({ id: z.string() }),
  reply: { accepted: { body: "On it" }, failed: { body: "No" } },
}).attach({ workflow: work });
