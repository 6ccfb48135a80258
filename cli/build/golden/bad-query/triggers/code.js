import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "code",
  endpoint: "code",
  request: z.object({ id: z.string() }),
  query: z.object({ topic: z.string().refine((topic) => topic !== "") }),
}).attach({ workflow: work });
