import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod/v3";
import * as mini from "zod/mini";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "old-around-new",
  endpoint: "old-around-new",
  request: z.object({ address: z.union([z.string(), mini.string() as never]).optional() }),
}).attach({ workflow: work });
