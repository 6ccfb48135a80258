import { defineWebhookSource } from "signalbox/trigger";
import { hmac } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "placeholder",
  endpoint: "placeholder",
  request: z.object({ id: z.string() }),
  verify: hmac({ secret: "the secret of a test project", header: "x-s", signedContent: "{query}{body}" }),
}).attach({ workflow: work });
