import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { oldAddress } from "../lib/old";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "lost-values",
  endpoint: "lost-values",
  request: z.object({ addresses: z.record(z.string(), oldAddress as never) }),
}).attach({ workflow: work });
