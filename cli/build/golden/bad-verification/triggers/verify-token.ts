import { defineWebhookSource } from "signalbox/trigger";
import { meta } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "verify-token",
  endpoint: "verify-token",
  request: z.object({ id: z.string() }),
  verify: meta({ secret: "the secret of a test project", verifyToken: "short" }),
}).attach({ workflow: work });
