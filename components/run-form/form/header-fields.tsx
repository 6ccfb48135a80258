"use client";

import { useId } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { describeSchema } from "../../../server/domain/schema/describe-schema.ts";
import { headerFields } from "../../../server/domain/schema/header-fields.ts";
import type { HeaderTexts } from "../draft/header-texts.ts";

/** The headers that the schema of a trigger names. */
export function HeaderFields({
  schema,
  texts,
  onTexts,
}: {
  schema: JsonSchemaObject;
  texts: HeaderTexts;
  onTexts: (texts: HeaderTexts) => void;
}) {
  const id = useId();
  return (
    <fieldset className="grid gap-3 rounded-m border px-3 pt-2 pb-3">
      <legend className="px-1 text-s font-semibold">Headers</legend>
      {headerFields(schema).map(({ name, schema: field, isRequired, takes }) => {
        const Field = takes === "list" ? "textarea" : "input";
        return (
          <div key={name} className="grid gap-1">
            <label htmlFor={`${id}-${name}`} className="font-mono text-s">
              {name}
            </label>
            <Field
              id={`${id}-${name}`}
              value={texts[name] ?? ""}
              onChange={(event) => onTexts({ ...texts, [name]: event.target.value })}
              spellCheck={false}
              autoComplete="off"
              aria-describedby={`${id}-${name}-hint`}
              className="w-full rounded-m border border-line-strong bg-raised px-2.5 py-1.5 font-mono text-s"
            />
            <span id={`${id}-${name}-hint`} className="text-s text-ink-3">
              {takes === "list" ? "One value on each line: " : ""}
              {describeSchema(field, schema)}
              {isRequired ? "" : ". Optional: an empty field is not sent"}
            </span>
          </div>
        );
      })}
    </fieldset>
  );
}
