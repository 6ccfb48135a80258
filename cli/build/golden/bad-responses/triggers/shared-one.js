import { defineEndpoint } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineEndpoint({
  endpoint: "shared",
  onMismatch: "reject",
})
  .source({ slug: "shared-one", request: z.object({ id: z.string() }) })
  .attach({ workflow: work });
