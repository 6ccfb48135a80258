import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import reportCiFailure from "../workflows/report-ci-failure";

// GitHub's `workflow_run` event: only the fields that this trigger uses. All others are ignored.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_run
export default defineWebhookSource({
  slug: "ci-failed",
  endpoint: "github",
  request: z.object({
    action: z.string(),
    workflow_run: z.object({
      name: z.string().nullable(),
      head_branch: z.string().nullable(),
      head_sha: z.string(),
      head_commit: z.object({ message: z.string(), author: z.object({ name: z.string() }).nullable() }).nullable(),
      run_attempt: z.int(),
      conclusion: z.string().nullable(),
      html_url: z.url(),
    }),
    repository: z.object({ full_name: z.string() }),
  }),
  filter: z.object({
    action: z.literal("completed"),
    workflow_run: z.object({ conclusion: z.enum(["failure", "timed_out", "startup_failure"]) }),
  }),
}).attach({
  workflow: reportCiFailure,
  transform: ({ workflow_run: run, repository }) => ({
    repository: repository.full_name,
    workflow: run.name || "A workflow",
    branch: run.head_branch,
    commit: run.head_sha.slice(0, 7),
    title: run.head_commit?.message.split("\n")[0] ?? "",
    author: run.head_commit?.author?.name ?? null,
    attempt: run.run_attempt,
    url: run.html_url,
  }),
});
