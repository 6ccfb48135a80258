"use client";

import type { FieldProps } from "@rjsf/utils";
import { type Draft, withoutChoice } from "../draft/draft.ts";
import { shownOption, switchOption } from "../draft/new-draft.ts";
import { useChange, useFieldAttributes, useFormShared, useField } from "./form-context.ts";
import { NestedField } from "./nested-field.tsx";
import { nameOfPath } from "./path-names.ts";
import { OptionField } from "./field-controls.tsx";

/** One of several alternatives. The values of the others are kept and restored on a switch. */
export function UnionEntry(props: FieldProps<Draft>) {
  const { node, path } = useField();
  const { root } = useFormShared();
  const attributes = useFieldAttributes(`${props.fieldPathId.$id}-choice`);
  const change = useChange(props);
  const draft = props.formData;
  if (node.kind !== "union" || !draft) return null;
  const { options } = node;
  const shown = shownOption(options, draft, root);
  const option = options[shown];
  const faces = options.map(({ title }, index) => ({ value: String(index), label: title }));
  const choose = (value: string) =>
    change((before) => before && switchOption({ options, draft: before, to: Number(value), root }));
  // After an edit, the shown alternative stays chosen, even if the value matches another one.
  const edit = (changed: Draft | undefined) =>
    change((before) => ({
      ...withoutChoice(changed ?? { is: "string", text: "" }),
      choice: { option: shown, kept: before?.choice?.kept ?? {} },
    }));
  const label = `Kind of ${nameOfPath(path) || "value"}`;
  return (
    <div className="grid min-w-0 gap-2.5 border-l-2 border-line pl-3">
      <OptionField attributes={attributes} label={label} value={String(shown)} options={faces} onChange={choose} />
      {option && (
        <NestedField
          key={shown}
          schema={option.schema}
          path={path}
          draft={withoutChoice(draft)}
          isRequired
          isBare
          isFixed
          registry={props.registry}
          onChange={edit}
        />
      )}
    </div>
  );
}
