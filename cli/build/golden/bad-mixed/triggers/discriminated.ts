import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { oldAddress } from "../lib/old";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "discriminated",
  endpoint: "discriminated",
  request: z.discriminatedUnion("street", [z.object({ street: z.literal("a") }), oldAddress as never]),
}).attach({ workflow: work });
