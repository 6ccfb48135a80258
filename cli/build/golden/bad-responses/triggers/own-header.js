import { defineEndpoint } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineEndpoint({
  endpoint: "own-header",
  reply: { headers: { "Set-Cookie": "a=b" } },
})
  .source({ slug: "own-header", request: z.object({ id: z.string() }) })
  .attach({ workflow: work });
