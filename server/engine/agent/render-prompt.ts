import { type MarkedPrompt, type PromptDefinition, type PromptPart, definitionKind } from "../../../sdk/definition.ts";
import type { AgentInput } from "../../contract/agent/input.ts";
import { fillTemplate, parsePromptTemplate, showValue } from "../../domain/prompt-template.ts";

/**
 * Renders the prompt of an agent and marks the values of the payload. Throws the error of the project's function, or a
 * TypeError if it returns no string.
 */
export async function renderPrompt(prompt: PromptDefinition, value: unknown): Promise<AgentInput> {
  return joinParts(
    typeof prompt === "string" ? fillTemplate(parsePromptTemplate(prompt), value) : await callPrompt(prompt, value),
  );
}

async function callPrompt(prompt: Exclude<PromptDefinition, string>, value: unknown): Promise<readonly PromptPart[]> {
  const made: unknown = await prompt(value as never, tag as never);
  if (isMarked(made)) return made.parts;
  // The project's own words cannot be distinguished from the payload's here.
  if (typeof made === "string") return [{ text: made, path: "" }];
  throw new TypeError(`It must return a string, but returned ${made === null ? "null" : typeof made}.`);
}

function tag(texts: readonly string[], ...values: unknown[]): MarkedPrompt {
  const parts = texts.flatMap((text, index): PromptPart[] => [
    { text, path: null },
    ...(index < values.length ? insert(values[index]) : []),
  ]);
  return { [definitionKind]: "prompt", parts };
}

/** A nested marked text keeps its marks. */
function insert(value: unknown): readonly PromptPart[] {
  return isMarked(value) ? value.parts : [{ text: showValue(value), path: "" }];
}

function isMarked(value: unknown): value is MarkedPrompt {
  return typeof value === "object" && value !== null && definitionKind in value && value[definitionKind] === "prompt";
}

function joinParts(parts: readonly PromptPart[]): AgentInput {
  const input: AgentInput = { prompt: "", marks: [] };
  for (const { text, path } of parts) {
    const start = input.prompt.length;
    input.prompt += text;
    if (path !== null && text !== "") input.marks.push({ start, end: input.prompt.length, path });
  }
  return input;
}
