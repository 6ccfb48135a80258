"use client";

import type { FieldProps } from "@rjsf/utils";
import type { Json } from "../../../server/contract/json.ts";
import { Segmented } from "../../ui/choice.tsx";
import { type Draft, draftOfJson } from "../draft/draft.ts";
import { draftToJson } from "../draft/draft-to-json.ts";
import { usePlace } from "./form-context.ts";
import { nameOfPath } from "./place-names.ts";
import { SelectField } from "./select-field.tsx";
import { useChange } from "./use-change.ts";
import { useFieldAttributes } from "./use-field-attributes.ts";

const maxSegments = 4;
const maxLetters = 30;

/** One of several fixed values: segments if they are short, else a list. Another value stays and is listed. */
export function ChoiceEntry(props: FieldProps<Draft>) {
  const { node, path } = usePlace();
  const attributes = useFieldAttributes(props.fieldPathId.$id);
  const change = useChange(props);
  if (node.kind !== "choice") return null;
  const current = props.formData === undefined ? "" : JSON.stringify(draftToJson(props.formData));
  const values = node.values.filter((value) => !(node.isNullable && value === null));
  const options = values.map((value) => ({ value: JSON.stringify(value), label: nameOf(value) }));
  const isOther = current !== "" && !options.some(({ value }) => value === current);
  const onChange = (value: string) => {
    const chosen = values.find((one) => JSON.stringify(one) === value);
    if (chosen !== undefined)
      change((before) => ({ ...(before?.choice && { choice: before.choice }), ...draftOfJson(chosen) }));
  };
  if (options.length === 1 && options[0]?.value === current)
    return (
      <p className="flex h-[34px] min-w-0 items-center truncate rounded-m border bg-sunken px-3 font-mono text-ink-2">
        {options[0].label}
      </p>
    );
  const letters = options.reduce((sum, { label }) => sum + label.length + 3, 0);
  if (!isOther && options.length > 1 && options.length <= maxSegments && letters <= maxLetters) {
    return (
      <div
        id={attributes.id}
        aria-describedby={attributes["aria-describedby"]}
        data-invalid={attributes["aria-invalid"]}
        className="min-w-0 [&>fieldset]:flex [&>fieldset]:h-[34px] [&>fieldset]:w-full data-invalid:[&>fieldset]:border-bad"
      >
        <Segmented label={nameOfPath(path) || "value"} value={current} options={options} onChange={onChange} />
      </div>
    );
  }
  return (
    <SelectField
      attributes={attributes}
      value={current}
      options={
        isOther ? [...options, { value: current, label: `${shorten(current)} (not an allowed value)` }] : options
      }
      onChange={onChange}
    />
  );
}

function nameOf(value: Json): string {
  return typeof value === "string" && value.trim() !== "" ? value : JSON.stringify(value);
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
