import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { oldAddress } from "../lib/old";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "new-around-old",
  endpoint: "new-around-old",
  request: z.object({ customers: z.array(z.object({ address: oldAddress as never })) }),
}).attach({ workflow: work });
