import { defineAgent, defineTool } from "signalbox/agent";
import { z } from "zod";
import { findSimilar } from "../lib/known-issues";
import { model } from "../lib/model";
import { appendOnce } from "../lib/outbox";

const findSimilarIssues = defineTool({
  description: "Finds open issues that are similar to a text, the most similar first. `likeness` is from 0 to 1.",
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => findSimilar(text),
});

const updateIssue = defineTool({
  description: "Labels an issue and, on request, closes it as a duplicate.",
  inputSchema: z.object({
    number: z.int().positive(),
    labels: z.array(z.enum(["bug", "docs", "question", "duplicate", "urgent"])).max(3),
    close: z.boolean().default(false),
  }),
  // Labels are harmless, even if an issue's text manipulates the model. Closing an issue needs a person's approval.
  needsApproval: ({ close }) => close,
  // A call that is repeated after a crash has the same key.
  async execute(update, { idempotencyKey }) {
    await appendOnce({
      file: "issues.jsonl",
      key: idempotencyKey,
      line: JSON.stringify({ id: idempotencyKey, ...update }),
    });
    return update;
  },
});

export default defineAgent({
  slug: "triage",
  model,
  instructions: [
    "You sort new issues of a software project.",
    "First look for open issues like the new one. Then label the new one, and close it if it duplicates another.",
    "Summarise it in one sentence. `severity` is high only if people lose data, cannot work or are in danger.",
  ].join("\n"),
  tools: { findSimilarIssues, updateIssue },
  output: z.object({
    severity: z.enum(["low", "medium", "high"]),
    area: z.enum(["app", "api", "docs", "build"]),
    summary: z.string(),
    duplicateOf: z.int().nullable(),
  }),
  maxSteps: 8,
  budget: { tokens: 100_000 },
});
