import { defineWebhookSource } from "signalbox/trigger";
import { z as mini } from "zod/mini";
import { z } from "zod/v3";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "old-discriminated",
  endpoint: "old-discriminated",
  request: z.discriminatedUnion("type", [
    z.object({ type: z.literal("a") }),
    mini.object({ type: mini.literal("b") }) as never,
  ]),
}).attach({ workflow: work });
