import type { JsonSchemaObject } from "../../server/contract/json.ts";
import { checkDraft } from "./check/check-draft.ts";
import { type Failed, nearestIndex } from "./check/nearest.ts";
import type { Draft } from "./draft/draft.ts";
import { draftToJson } from "./draft/draft-to-json.ts";
import type { UnionOption } from "./union-options.ts";

/** The alternative that a field shows: the one a person chose, else the first that matches, else the nearest. */
export function shownOption(options: readonly UnionOption[], draft: Draft, root: JsonSchemaObject): number {
  const chosen = draft.choice?.option;
  if (chosen !== undefined && chosen < options.length) return chosen;
  const failed: Failed[] = [];
  for (const [index, { schema }] of options.entries()) {
    const issues = checkDraft(schema, root, draft);
    if (issues.length === 0) return index;
    failed.push({ schema, issues });
  }
  return nearestIndex(failed, { root, value: draftToJson(draft) });
}
