import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "issues",
  endpoint: "github",
  request: z.object({ action: z.string() }),
  headers: z.object({ "x-github-event": z.enum(["issues", "issue_comment"]) }),
}).attach({ workflow: work, transform: ({ action }, { headers }) => ({ id: `${headers["x-github-event"]} ${action}` }) });
