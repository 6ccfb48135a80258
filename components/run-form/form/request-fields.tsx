"use client";

import { useId } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import type { FieldPart } from "../../../server/contract/request-parts.ts";
import { describeSchema } from "../../../server/shared/schema/describe-schema.ts";
import { namedFields } from "../../../server/shared/schema/named-fields.ts";
import { type FieldTexts, textIn, withText } from "../draft/field-texts.ts";

export const partTitles: Record<FieldPart, string> = { headers: "Headers", query: "Query" };

/** The headers or the parameters that the schema of a trigger names. */
export function RequestFields({
  part,
  schema,
  texts,
  onTexts,
}: {
  part: FieldPart;
  schema: JsonSchemaObject;
  texts: FieldTexts;
  onTexts: (texts: FieldTexts) => void;
}) {
  const id = useId();
  return (
    <fieldset className="grid gap-3 rounded-m border px-3 pt-2 pb-3">
      <legend className="px-1 text-s font-semibold">{partTitles[part]}</legend>
      {namedFields(schema).map(({ name, schema: field, isRequired, takes }) => {
        const Field = takes === "list" ? "textarea" : "input";
        const text = textIn(texts, name);
        return (
          <div key={name} className="grid gap-1">
            <label htmlFor={`${id}-${name}`} className="font-mono text-s">
              {name}
            </label>
            <Field
              id={`${id}-${name}`}
              value={text ?? ""}
              onChange={(event) => onTexts(withText(texts, name, event.target.value))}
              spellCheck={false}
              autoComplete="off"
              aria-describedby={`${id}-${name}-hint`}
              className="w-full rounded-m border border-line-strong bg-raised px-2.5 py-1.5 font-mono text-s"
            />
            <span id={`${id}-${name}-hint`} className="text-s text-ink-3">
              {takes === "list" ? "One value on each line: " : ""}
              {describeSchema(field, schema)}
              {text === "" ? ". Sent with an empty value" : isRequired ? "" : ". Optional: an empty field is not sent"}
            </span>
          </div>
        );
      })}
    </fieldset>
  );
}
