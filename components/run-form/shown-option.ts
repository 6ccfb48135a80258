import type { JsonSchemaObject } from "../../server/contract/json.ts";
import { checkDraft } from "./check/check-draft.ts";
import { isNearer } from "./check/nearest.ts";
import type { Draft } from "./draft/draft.ts";
import type { UnionOption } from "./union-options.ts";

/** Which alternative a place shows: the one a person chose, else the first that the value fits, else the nearest. */
export function shownOption(options: readonly UnionOption[], draft: Draft, root: JsonSchemaObject): number {
  const chosen = draft.choice?.option;
  if (chosen !== undefined && chosen < options.length) return chosen;
  let best = 0;
  let least = options[0] ? checkDraft(options[0].schema, root, draft) : [];
  for (const [index, option] of options.entries()) {
    if (least.length === 0) return best;
    const troubles = checkDraft(option.schema, root, draft);
    if (troubles.length > 0 && !isNearer(troubles, least, "")) continue;
    best = index;
    least = troubles;
  }
  return best;
}
