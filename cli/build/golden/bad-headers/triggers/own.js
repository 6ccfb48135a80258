import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "own",
  endpoint: "own",
  request: z.object({ id: z.string() }),
  headers: z.object({ "signalbox-sent-from": z.literal("form") }),
}).attach({ workflow: work });
