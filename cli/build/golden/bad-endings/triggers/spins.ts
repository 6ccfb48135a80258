import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import spinning from "../workflows/spinning";

export default defineWebhookSource({
  slug: "spins",
  endpoint: "spins",
  request: z.unknown(),
}).attach({ workflow: spinning });
