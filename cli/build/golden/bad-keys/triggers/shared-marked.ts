import { defineWebhookSource, sensitive } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "shared-marked",
  endpoint: "shared",
  request: z.object({ account: sensitive(z.string()), more: z.string() }),
  headers: z.object({ "x-account": sensitive(z.string()) }),
}).attach({ workflow: work });
