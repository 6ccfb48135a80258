import { defineAgent, defineTool } from "signalbox/agent";
import { z } from "zod";
import { findSimilar } from "../lib/known-issues";
import { model } from "../lib/model";
import { appendOnce } from "../lib/outbox";

const findSimilarIssues = defineTool({
  description: "Finds open issues that are like a text, the most alike first. `likeness` is 0 to 1.",
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => findSimilar(text),
});

const updateIssue = defineTool({
  description: "Puts labels on an issue, and closes it as a duplicate where told so.",
  inputSchema: z.object({
    number: z.int().positive(),
    labels: z.array(z.enum(["bug", "docs", "question", "duplicate", "urgent"])).max(3),
    close: z.boolean().default(false),
  }),
  // A label does no harm, whoever talked the model into it. Before an issue is closed, a person says yes.
  needsApproval: ({ close }) => close,
  // A call that is made again after a crash has the same key again.
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
    "First look for open issues like the new one; then update the new one, with its labels, and closed if it says the same as another.",
    "Sum it up in one sentence. `severity` is high only where people lose data, cannot work or are in danger.",
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
