import { defineEndpoint } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineEndpoint({
  endpoint: "too-long",
  reply: { body: "x".repeat(20_000) },
})
  .source({ slug: "too-long", request: z.object({ id: z.string() }) })
  .attach({ workflow: work });
