import { defineEndpoint } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineEndpoint({
  endpoint: "mismatch",
  onMismatch: "ignore",
})
  .source({ slug: "mismatch", request: z.object({ id: z.string() }) })
  .attach({ workflow: work });
