import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

const Tree = z.object({
  name: z.string(),
  planted: z.date(),
  get children() {
    return z.array(Tree);
  },
});

export default defineWebhookSource({
  slug: "tree",
  endpoint: "tree",
  request: Tree,
}).attach({ workflow: work });
