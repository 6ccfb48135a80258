"use client";

import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { switchNull } from "../choose-option.ts";
import type { Draft } from "../draft/draft.ts";
import { useFormShared } from "./form-context.ts";
import { Switch } from "./switch.tsx";

/** Switches a field between null and its previous value. */
export function NullSwitch({
  name,
  schema,
  draft,
  onChange,
}: {
  name: string;
  schema: JsonSchemaObject;
  draft: Draft;
  onChange: (draft: Draft) => void;
}) {
  const { root } = useFormShared();
  return (
    <Switch
      label={`${name} is null`}
      isOn={draft.is === "null"}
      onChange={(isNull) => onChange(switchNull({ schema, draft, isNull, root }))}
    >
      null
    </Switch>
  );
}
