import { defineWebhookSource, sensitive } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "hidden",
  endpoint: "hidden",
  request: z.object({ id: z.string(), email: sensitive(z.email()) }),
}).attach({ workflow: work, key: { field: "email" } });
