import { defineEndpoint } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineEndpoint({
  endpoint: "option",
  reply: { text: "ok" },
})
  .source({ slug: "option", request: z.object({ id: z.string() }) })
  .attach({ workflow: work });
