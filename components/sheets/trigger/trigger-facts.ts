import type { RunKeyParts } from "../../../server/contract/project/run-key.ts";
import type { Dedupe } from "../../../server/contract/project/endpoint.ts";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { factsOf, propertiesOf } from "../../../server/shared/schema/facts-of.ts";
import { formatInterval } from "../../../server/shared/format.ts";
import { type Evidence, evidenceOfTrigger } from "../../graph/evidence.ts";
import type { Activity } from "../../graph/canvas-model.ts";

/** How deliveries of the same event are identified, and for how long they are remembered. */
export function describeDedupe({ header, field, windowMs }: Dedupe): string {
  const name =
    header !== null
      ? `by the header ${header}`
      : field !== null
        ? `by ${field} in the body`
        : "by the standard headers or the signed content";
  return `${name}, for ${formatInterval(windowMs)}`;
}

/** The tests of the endpoint that the server answers itself: `answered by Signalbox: dropbox (GET), your own (POST)`. */
export function describeChallenges(challenges: readonly { name: string; method: string }[]): string {
  const tests = [...Map.groupBy(challenges, ({ name }) => name)].map(([name, its]) => {
    const methods = [...new Set(its.map(({ method }) => method))].join(", ");
    return `${name === "challenge" ? "your own" : name} (${methods})`;
  });
  return `answered by Signalbox: ${tests.join(", ")}`;
}

/** Whether a schema of headers, a query or a filter has required fields. `undefined`: not loaded, or without fields. */
export function describeFields(schema: JsonSchemaObject | null | undefined): string | undefined {
  if (!schema) return undefined;
  const properties = propertiesOf(factsOf(schema, schema));
  if (properties.length === 0) return undefined;
  return properties.some(({ isRequired }) => isRequired) ? "required values" : "optional values";
}

/** The verdict counts of a trigger; `null` before they are loaded. */
export function evidenceIn(activity: Activity | undefined, attachmentIds: readonly string[]): Evidence | null {
  return activity
    ? evidenceOfTrigger(activity.triggers.filter(({ attachmentId }) => attachmentIds.includes(attachmentId)))
    : null;
}

/** Splits a template into text and placeholders for payload values. */
export function promptParts(template: string): { text: string; isPlaceholder: boolean }[] {
  return template
    .split(/((?<!\\)\{\{[^{}]*\}\})/)
    .map((text, index) => ({
      text: index % 2 === 1 ? text : text.replaceAll("\\{{", "{{"),
      isPlaceholder: index % 2 === 1,
    }))
    .filter(({ text }) => text !== "");
}

/** The key of the runs; for each target if they differ. `null`: no run has one. */
export function describeKeys(
  attachments: readonly { target: { slug: string } | null; key: RunKeyParts | null }[],
): string | null {
  const texts = attachments.flatMap(({ target, key }) =>
    target ? { slug: target.slug, text: key && describeKey(key) } : [],
  );
  const [first] = texts;
  if (texts.every(({ text }) => text === first?.text)) return first?.text ?? null;
  return texts.map(({ slug, text }) => `${slug}: ${text ?? "none"}`).join("; ");
}

function describeKey(parts: RunKeyParts): string {
  return parts.map((part) => ("field" in part ? part.field : `header ${part.header}`)).join(" and ");
}
