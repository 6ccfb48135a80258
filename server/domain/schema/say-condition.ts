import type { JsonSchemaObject } from "../../contract/json.ts";
import { type Facts, firstOf } from "./facts-of.ts";
import { sayNumberBounds, saySizes } from "./say-bounds.ts";
import { sayText } from "./say-text.ts";
import { sayType, withArticle } from "./say-type.ts";
import { sayChoice } from "./say-value.ts";
import { visibleText } from "./visible-text.ts";

/**
 * The condition for one path. A lower rank is more specific: fixed values, then bounds, then formats and sizes, then
 * types.
 */
export interface Saying {
  words: string;
  rank: number;
}

export const ranks = { fixed: 0, bound: 1, looks: 2, size: 2, type: 3, presence: 4 };

export function sayCondition(facts: Facts, root: JsonSchemaObject): Saying {
  const orNull = facts.isNullable ? " or null" : "";
  if (facts.isNever) return { words: "must be absent", rank: ranks.fixed };
  if (facts.values)
    return {
      words: visibleText(facts.values.length === 0 ? "is null" : `is ${sayChoice(facts.values)}${orNull}`, 120),
      rank: ranks.fixed,
    };
  const text = sayText(facts);
  const checks = [
    ...sayNumberBounds(facts).map((words) => ({
      words: words.replace(/^a multiple/, "is a multiple"),
      rank: ranks.bound,
    })),
    ...text.patterns.map((words) => ({ words, rank: words.startsWith("matches") ? ranks.looks : ranks.bound })),
    ...text.formats.map((words) => ({ words: `is ${words}`, rank: ranks.looks })),
    ...(firstOf(facts, "prefixItems") === undefined ? saySizes(facts).map(sizeWords) : []),
  ].slice(0, 4);
  if (checks.length === 0) return sayKind(facts, root);
  return {
    words: visibleText(`${checks.map(({ words }) => words).join(" and ")}${orNull}`, 120),
    rank: Math.min(...checks.map(({ rank }) => rank)),
  };
}

function sizeWords(size: string): Saying {
  return { words: size === "not empty" ? "is not empty" : `has ${size}`, rank: ranks.size };
}

function sayKind(facts: Facts, root: JsonSchemaObject): Saying {
  const noun = sayType(facts, root);
  if (noun === "anything") return { words: "is present", rank: ranks.presence };
  if (noun === "boolean") return { words: "is true or false", rank: ranks.type };
  return { words: `is ${withArticle(noun)}`, rank: ranks.type };
}
