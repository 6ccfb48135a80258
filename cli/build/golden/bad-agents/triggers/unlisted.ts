import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import hidden from "../agents/_hidden";

export default defineWebhookSource({ slug: "unlisted", endpoint: "unlisted", request: z.object({ a: z.string() }) }).attach({
  agent: hidden,
  prompt: "{{ a }}",
});
