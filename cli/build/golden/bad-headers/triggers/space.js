import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "space",
  endpoint: "space",
  request: z.object({ id: z.string() }),
  headers: z.object({ "x event": z.string() }),
}).attach({ workflow: work });
