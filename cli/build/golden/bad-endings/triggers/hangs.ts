import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

await new Promise(() => setInterval(() => {}, 1000));

export default defineWebhookSource({
  slug: "hangs",
  endpoint: "hangs",
  request: z.unknown(),
}).attach({ workflow: work });
