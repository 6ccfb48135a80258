"use client";

import type { FieldProps } from "@rjsf/utils";
import { type Draft, draftOf } from "../draft/draft.ts";
import { usePlace } from "./form-context.ts";
import { MisfitEntry } from "./misfit-entry.tsx";
import { useChange } from "./use-change.ts";
import { fieldClass, useFieldAttributes } from "./use-field-attributes.ts";

/** A number as text: invalid or incomplete input stays as typed. An empty optional field is absent. */
export function NumberEntry(props: FieldProps<Draft>) {
  const { node, isFixed } = usePlace();
  const attributes = useFieldAttributes(props.fieldPathId.$id);
  const change = useChange(props);
  const draft = props.formData;
  if (node.kind !== "number") return null;
  if (draft && draft.is !== "number" && draft.is !== "string") return <MisfitEntry {...props} expected="a number" />;
  const onText = (text: string) =>
    change((before) =>
      text === "" && !isFixed
        ? undefined
        : { ...(before?.choice && { choice: before.choice }), ...draftOf.number(text.trim()) },
    );
  return (
    <input
      {...attributes}
      inputMode={node.isInteger ? "numeric" : "decimal"}
      autoComplete="off"
      spellCheck={false}
      placeholder={draft === undefined ? "absent" : ""}
      value={draft?.text ?? ""}
      onChange={(event) => onText(event.target.value)}
      className={`${fieldClass} tabular-nums`}
    />
  );
}
