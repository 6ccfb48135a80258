import { defineWebhookSource, sensitive } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "hidden-parent",
  endpoint: "hidden-parent",
  request: z.object({ customer: sensitive(z.object({ id: z.string() })) }),
}).attach({ workflow: work, key: { field: "/customer/id" } });
