import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import countDown from "../workflows/count-down";

export default defineWebhookSource({
  slug: "launch",
  endpoint: "launches",
  request: z.object({ left: z.int() }),
}).attach({ workflow: countDown });
