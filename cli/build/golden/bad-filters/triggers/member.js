import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod/v3";
import work from "../workflows/work";

const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("paid"), amount: z.number() }),
  z.object({ type: z.literal("created"), customer: z.object({ email: z.string() }) }),
]);
const onlyPaid = z.object({ type: z.literal("paid"), customer: z.object({ email: z.string() }) });

export default defineWebhookSource({ slug: "member", endpoint: "member", request: event, filter: onlyPaid }).attach({
  workflow: work,
});
