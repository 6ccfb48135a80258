import { defineWebhookSource } from "signalbox/trigger";
import { xero } from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";

// Its responses are those that Xero insists on.
export default defineWebhookSource({
  slug: "invoices",
  endpoint: "xero",
  request: z.object({ id: z.string() }),
  verify: xero({ secret: "a webhook key of Xero" }),
  onMismatch: "skip",
}).attach({ workflow: work });
