import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "upper",
  endpoint: "upper",
  request: z.object({ id: z.string() }),
  headers: z.object({ "X-GitHub-Event": z.literal("issues") }),
}).attach({ workflow: work });
