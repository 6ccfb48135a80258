import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { appendOnce } from "../lib/outbox";

export default defineWorkflow({
  slug: "report-ci-failure",
  input: z.object({
    repository: z.string(),
    workflow: z.string(),
    branch: z.string().nullable(),
    commit: z.string(),
    title: z.string(),
    author: z.string().nullable(),
    attempt: z.int().min(1),
    url: z.url(),
  }),
  output: z.object({ text: z.string() }),
  async run(failure, ctx) {
    const where = failure.branch === null ? failure.repository : `${failure.repository} (${failure.branch})`;
    const text = `${failure.workflow} failed on ${where}: ${failure.title} (${failure.commit}, ${failure.author ?? "unknown"})`;
    await ctx.step("report", ({ idempotencyKey }) => {
      const report = { id: idempotencyKey, text, attempt: failure.attempt, url: failure.url };
      return appendOnce({ file: "ci-failures.jsonl", key: idempotencyKey, line: JSON.stringify(report) });
    });
    return { text };
  },
});
