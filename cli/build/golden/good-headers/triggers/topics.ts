import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "topics",
  endpoint: "topics",
  request: z.object({ id: z.string() }),
  headers: z.union([
    z.object({ "x-topic": z.array(z.string()).min(2) }),
    z.object({ "x-event": z.string().startsWith("topic."), "x-attempt": z.string().regex(/^\d+$/).optional() }),
  ]),
}).attach({ workflow: work, transform: ({ id }) => ({ id }) });
