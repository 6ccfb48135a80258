import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "shared-account",
  endpoint: "shared",
  request: z.object({ account: z.string() }),
}).attach({ workflow: work, key: [{ field: "account" }, { header: "x-account" }] });
