"use client";

import type { FieldProps } from "@rjsf/utils";
import type { Json } from "../../../server/contract/json.ts";
import { type Draft, draftOf, draftOfJson, draftToJson, withChoiceOf } from "../draft/draft.ts";
import { OptionField, Switch } from "./field-controls.tsx";
import { fieldClass, useChange, useFieldAttributes, useField } from "./form-context.ts";
import { MisfitEntry } from "./json-entry.tsx";
import { nameOfPath } from "./path-names.ts";

/** One of several fixed values. Another value stays and is listed. */
export function ChoiceEntry(props: FieldProps<Draft>) {
  const { node, path } = useField();
  const attributes = useFieldAttributes(props.fieldPathId.$id);
  const change = useChange(props);
  if (node.kind !== "choice") return null;
  const current = props.formData === undefined ? "" : JSON.stringify(draftToJson(props.formData));
  const values = node.values.filter((value) => !(node.isNullable && value === null));
  const options = values.map((value) => ({ value: JSON.stringify(value), label: nameOf(value) }));
  const isOther = current !== "" && !options.some(({ value }) => value === current);
  const onChange = (value: string) => {
    const chosen = values.find((one) => JSON.stringify(one) === value);
    if (chosen !== undefined) change((before) => withChoiceOf(before, draftOfJson(chosen)));
  };
  if (options.length === 1 && options[0]?.value === current)
    return (
      <p className="flex h-[34px] min-w-0 items-center truncate rounded-m border bg-sunken px-3 font-mono text-ink-2">
        {options[0].label}
      </p>
    );
  return (
    <OptionField
      attributes={attributes}
      label={nameOfPath(path) || "value"}
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

export function BooleanEntry(props: FieldProps<Draft>) {
  const { path } = useField();
  const attributes = useFieldAttributes(props.fieldPathId.$id);
  const change = useChange(props);
  const draft = props.formData;
  if (draft && draft.is !== "boolean") return <MisfitEntry {...props} expected="true or false" />;
  const isOn = draft?.value ?? false;
  return (
    <span className="flex h-[34px] items-center">
      <Switch
        id={attributes.id}
        describedBy={attributes["aria-describedby"]}
        isInvalid={attributes["aria-invalid"] ?? false}
        label={nameOfPath(path) || "value"}
        isOn={isOn}
        onChange={(value) => change((before) => withChoiceOf(before, draftOf.boolean(value)))}
      >
        <code className="text-m">{String(isOn)}</code>
      </Switch>
    </span>
  );
}

/** The only value is null. */
export function NullEntry(props: FieldProps<Draft>) {
  if (props.formData && props.formData.is !== "null") return <MisfitEntry {...props} expected="null" />;
  return <p className="flex h-[34px] items-center font-mono text-ink-3">null</p>;
}

/** A number as text: invalid or incomplete input stays as typed. An empty optional field is absent. */
export function NumberEntry(props: FieldProps<Draft>) {
  const { node, isFixed } = useField();
  const attributes = useFieldAttributes(props.fieldPathId.$id);
  const change = useChange(props);
  const draft = props.formData;
  if (node.kind !== "number") return null;
  if (draft && draft.is !== "number" && draft.is !== "string") return <MisfitEntry {...props} expected="a number" />;
  const onText = (text: string) =>
    change((before) => (text === "" && !isFixed ? undefined : withChoiceOf(before, draftOf.number(text.trim()))));
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
