import { defineWebhookSource } from "signalbox/trigger";
import { hmac } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "plain-url",
  endpoint: "plain-url",
  request: z.object({ id: z.string() }),
  verify: hmac({ secret: "the secret of a test project", header: "x-s", url: "https://hooks.example.com/" }),
}).attach({ workflow: work });
