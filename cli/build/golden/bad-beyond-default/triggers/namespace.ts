import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import * as everything from "../workflows/work";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "namespace",
  endpoint: "namespace",
  request: z.object({ plan: everything.plan }),
}).attach({ workflow: work });
