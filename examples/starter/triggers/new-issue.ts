import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import triage from "../agents/triage";

// GitHub's `issues` event, on the same endpoint as ci-failed.ts: one GitHub webhook serves both.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#issues
export default defineWebhookSource({
  slug: "new-issue",
  endpoint: "github",
  request: z.object({
    action: z.string(),
    issue: z.object({ number: z.int(), title: z.string(), body: z.string().nullable() }),
    repository: z.object({ full_name: z.string() }),
  }),
  filter: z.object({ action: z.literal("opened") }),
}).attach({
  agent: triage,
  prompt: "New issue #{{ issue.number }} in {{ repository.full_name }}: {{ issue.title }}\n\n{{ issue.body }}",
});
