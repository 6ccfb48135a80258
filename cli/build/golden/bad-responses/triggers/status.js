import { defineEndpoint } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineEndpoint({
  endpoint: "status",
  reply: { status: 302 },
})
  .source({ slug: "status", request: z.object({ id: z.string() }) })
  .attach({ workflow: work });
