import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import chat from "../agents/chat";

export default defineWebhookSource({
  slug: "paths",
  endpoint: "tickets",
  request: z.object({
    subject: z.string(),
    customer: z.object({ email: z.email() }).optional(),
    tags: z.array(z.object({ id: z.int() })),
    by: z.discriminatedUnion("kind", [z.object({ kind: z.literal("mail"), from: z.string() }), z.object({ kind: z.literal("chat"), room: z.string() })]),
  }),
}).attach({
  agent: chat,
  prompt: `New ticket from {{ customer.emial }}: {{ subjct }}
    {{ tags.id }} {{ subject.length }}
    {{ by.from }}{{ by.room }}{{ by.rome }} {{ constructor }}`,
});
