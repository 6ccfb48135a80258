"use client";

import type { FieldProps } from "@rjsf/utils";
import { type Draft, draftOf } from "../draft/draft.ts";
import { usePlace } from "./form-context.ts";
import { MisfitEntry } from "./misfit-entry.tsx";
import { nameOfPath } from "./place-names.ts";
import { Switch } from "./switch.tsx";
import { useChange } from "./use-change.ts";
import { useFieldAttributes } from "./use-field-attributes.ts";

export function BooleanEntry(props: FieldProps<Draft>) {
  const { path } = usePlace();
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
        onChange={(value) =>
          change((before) => ({ ...(before?.choice && { choice: before.choice }), ...draftOf.boolean(value) }))
        }
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
