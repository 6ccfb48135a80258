import type { ScriptedAnswer, ModelConversation } from "signalbox/agent";
import { z } from "zod";

/** Sorts issues by keywords, in place of a model. It demonstrates a run of the agent, not the quality of a model. */
export function sortByRules({ prompt, payload, results }: ModelConversation): ScriptedAnswer {
  const [number, _repository, title = prompt, body = ""] = payload;
  const [similar, updated] = results;
  if (!similar) return { calls: [{ tool: "findSimilarIssues", input: { text: title } }] };

  const text = `${title} ${body}`;
  const severity = /crash|data loss|security/i.test(text) ? "high" : /spell|typo/i.test(text) ? "low" : "medium";
  const area = /readme|docs|spell|typo/i.test(text)
    ? "docs"
    : /\bapi\b|webhook/i.test(text)
      ? "api"
      : /build|install/i.test(text)
        ? "build"
        : "app";
  const duplicateOf = similarIssues.parse(similar.output).find(({ likeness }) => likeness >= 0.6)?.number ?? null;

  if (!updated && number !== undefined) {
    const labels = [
      area === "docs" ? "docs" : "bug",
      ...(severity === "high" ? ["urgent"] : []),
      ...(duplicateOf === null ? [] : ["duplicate"]),
    ];
    return { calls: [{ tool: "updateIssue", input: { number: Number(number), labels, close: duplicateOf !== null } }] };
  }
  return {
    output: { severity, area, summary: `${title} (Sorted by rules; no model was called.)`, duplicateOf },
  };
}

const similarIssues = z.array(z.object({ number: z.int(), likeness: z.number() })).catch([]);
