import { defineWebhookSource } from "signalbox/trigger";
import { discord } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "key",
  endpoint: "key",
  request: z.object({ id: z.string() }),
  verify: discord({ publicKey: "not a key" }),
}).attach({ workflow: work });
