import type { GraphTrigger } from "./answers.ts";

/** The prompt that a trigger sends to an agent: the template with its placeholders marked. */
export function PromptTemplate({ prompt }: { prompt: NonNullable<GraphTrigger["prompt"]> }) {
  if (prompt.kind === "function") return <span className="text-s text-ink-2">prompt: built by a function</span>;
  return (
    <p className="max-h-40 overflow-auto text-s break-words whitespace-pre-wrap text-ink-2">
      <span className="text-ink-3">prompt: </span>
      {partsOf(prompt.text).map(({ text, isPlaceholder }, index) =>
        isPlaceholder ? (
          <code key={index} className="rounded-s bg-accent-soft px-0.5 whitespace-nowrap text-accent">
            {text}
          </code>
        ) : (
          text
        ),
      )}
    </p>
  );
}

/** Splits a template into text and placeholders for payload values. */
export function partsOf(template: string): { text: string; isPlaceholder: boolean }[] {
  return template
    .split(/((?<!\\)\{\{[^{}]*\}\})/)
    .map((text, index) => ({
      text: index % 2 === 1 ? text : text.replaceAll("\\{{", "{{"),
      isPlaceholder: index % 2 === 1,
    }))
    .filter(({ text }) => text !== "");
}
