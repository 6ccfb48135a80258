import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import { byGitLab } from "../lib/others";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "merged",
  endpoint: "merged",
  request: z.object({ id: z.string() }),
  verify: byGitLab,
  dedupe: { header: "x-gitlab-event-uuid" },
}).attach({ workflow: work });
