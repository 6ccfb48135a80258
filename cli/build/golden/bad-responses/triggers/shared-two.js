import { defineEndpoint } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineEndpoint({
  endpoint: "shared",
  reply: { body: { ok: true } },
})
  .source({ slug: "shared-two", request: z.object({ id: z.string() }) })
  .attach({ workflow: work });
