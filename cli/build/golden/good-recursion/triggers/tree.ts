import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});
const Comment: z.ZodType = z.lazy(() => z.object({ text: z.string(), reply: Comment.optional() }));

export default defineWebhookSource({
  slug: "tree",
  endpoint: "tree",
  request: z.object({ root: Tree, comment: Comment }),
}).attach({ workflow: work });
