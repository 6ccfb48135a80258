import type { JsonSchemaObject } from "../../server/contract/json.ts";
import type { UnionOption } from "./union-options.ts";
import { adaptSchema } from "./adapt-schema.ts";
import { checkDraft } from "./check/check-draft.ts";
import { type Draft, memberOf, withMember, withoutChoice } from "./draft/draft.ts";
import { startDraft } from "./empty-draft.ts";
import { shownOption } from "./shown-option.ts";

/** Switches to another alternative, and keeps the values of the previous one. */
export function switchOption(p: {
  options: readonly UnionOption[];
  draft: Draft;
  to: number;
  root: JsonSchemaObject;
}): Draft {
  const from = shownOption(p.options, p.draft, p.root);
  const option = p.options[p.to];
  if (!option || from === p.to) return p.draft;
  const kept: Record<string, Draft> = {
    ...p.draft.choice?.kept,
    ...(p.draft.is !== "null" && { [from]: withoutChoice(p.draft) }),
  };
  const next = kept[p.to] ?? takeOver(startDraft(option.schema, p.root), p.draft, option.schema, p.root);
  return { ...next, choice: { option: p.to, kept } };
}

/** Sets a nullable field to `null`, or back to its previous value. */
export function switchNull(p: {
  schema: JsonSchemaObject;
  draft: Draft;
  isNull: boolean;
  root: JsonSchemaObject;
}): Draft {
  const node = adaptSchema(p.schema, p.root);
  const options = node.kind === "union" ? node.options : [{ title: "", schema: p.schema }];
  const option = p.draft.choice?.option ?? (p.draft.is === "null" ? 0 : shownOption(options, p.draft, p.root));
  const before: Record<string, Draft> = p.draft.choice?.kept ?? {};
  if (p.isNull) return { is: "null", choice: { option, kept: { ...before, [option]: withoutChoice(p.draft) } } };
  const next = before[option] ?? startDraft(p.schema, p.root, true);
  return { ...next, choice: { option, kept: before } };
}

/** Common fields keep their values if they are valid in the new alternative. */
function takeOver(next: Draft, before: Draft, schema: JsonSchemaObject, root: JsonSchemaObject): Draft {
  const node = adaptSchema(schema, root);
  if (node.kind !== "object" || next.is !== "object") return next;
  return node.properties.reduce<Draft>((draft, property) => {
    const value = memberOf(before, property.name)?.draft;
    if (!value || checkDraft(property.schema, root, value).length > 0) return draft;
    return withMember(draft, property.name, value);
  }, next);
}
