"use client";

import type { FieldProps } from "@rjsf/utils";
import type { Draft } from "../draft/draft.ts";
import { printDraft } from "../draft/print-draft.ts";
import { usePlace } from "./form-context.ts";
import { nameOfPath } from "./place-names.ts";
import { useChange } from "./use-change.ts";
import { fieldClass, useFieldAttributes } from "./use-field-attributes.ts";

/** Any JSON as text. Stays as typed, even if it is not valid JSON. */
export function JsonEntry(props: FieldProps<Draft>) {
  const { path } = usePlace();
  const attributes = useFieldAttributes(props.fieldPathId.$id);
  const change = useChange(props);
  const draft = props.formData;
  return (
    <textarea
      {...attributes}
      aria-label={`${nameOfPath(path) || "value"} as JSON`}
      rows={1}
      spellCheck={false}
      placeholder="any JSON"
      value={draft === undefined ? "" : draft.is === "raw" ? draft.text : printDraft(draft)}
      onChange={(event) => {
        const { value } = event.target;
        change((before) => ({ ...(before?.choice && { choice: before.choice }), is: "raw", text: value }));
      }}
      className={`${fieldClass} h-auto max-h-96 min-h-[34px] resize-y py-1.5 text-s leading-5 [field-sizing:content]`}
    />
  );
}
