import type { JsonSchemaObject } from "../../contract/json.ts";
import { type Facts, factsOf, firstOf } from "./facts-of.ts";
import { saySizes, sayNumberBounds } from "./say-bounds.ts";
import { sayText } from "./say-text.ts";
import { sayType } from "./say-type.ts";
import { sayValue } from "./say-value.ts";
import { visibleText } from "./visible-text.ts";

/**
 * A schema in few words, for labels: `integer ≥ 0`, `one of eur, usd, gbp`, `e-mail`, `array of strings, 1 to 3 items`.
 * `root` is where its references lead.
 */
export function describeSchema(schema: JsonSchemaObject, root: JsonSchemaObject): string {
  const facts = factsOf(schema, root);
  const noun = sayType(facts, root);
  if (facts.values) return facts.values.length === 1 ? `is ${noun}` : noun;
  if (facts.isNever) return noun;
  const bounds = sayNumberBounds(facts);
  const [first, ...others] = bounds;
  const number = first === undefined ? noun : /^[≥>≤<=]/.test(first) ? `${noun} ${first}` : `${noun}, ${first}`;
  return visibleText([number, ...others, ...sayText(facts).patterns, ...sizesOf(facts)].join(", "), 160);
}

/** A named property: also whether it is optional, and its default. */
export function describeProperty(p: { schema: JsonSchemaObject; root: JsonSchemaObject; isRequired: boolean }): string {
  const words = describeSchema(p.schema, p.root);
  const standard = firstOf(factsOf(p.schema, p.root), "default");
  if (standard !== undefined) return `${words}, ${sayValue(standard)} if absent`;
  return p.isRequired ? words : `${words}, optional`;
}

/** The length of a tuple is in its items. */
function sizesOf(facts: Facts): string[] {
  return firstOf(facts, "prefixItems") === undefined ? saySizes(facts) : [];
}
