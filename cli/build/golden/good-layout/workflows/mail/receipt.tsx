import { createHash } from "node:crypto";
import "../../lib/effect";
import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export const other = "workflows may export more, for other workflows";

export default defineWorkflow({
  slug: "receipt",
  input: z.object({ id: z.string() }),
  run: ({ id }) => createHash("sha256").update("WORKFLOW CODE").update(id).digest("hex"),
});
