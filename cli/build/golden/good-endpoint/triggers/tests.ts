import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "tests",
  endpoint: "tests",
  request: z.object({ id: z.string() }),
  challenge: ["eventGrid", { if: { field: "kind", is: "check" }, echo: { header: "X-Code" }, as: { header: "x-code" } }],
}).attach({ workflow: work });
