import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "work",
  input: z.object({ at: z.date(), count: z.coerce.number() }),
  output: z.object({ sent: z.date(), ids: z.array(z.string().transform((id) => id)) }),
  run: () => ({ sent: new Date(0), ids: [] }),
});
