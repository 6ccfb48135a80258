"use client";

import type { Registry } from "@rjsf/utils";
import { type ReactNode, useMemo, useState } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { Button } from "../../ui/controls/button.tsx";
import type { Draft } from "../draft/draft.ts";
import { adaptSchema, toRjsf } from "../schema/adapt-schema.ts";
import { type Field, FieldContext, useFormShared } from "./form-context.ts";
import { idOfPath, nameOfPath } from "./path-names.ts";

const step = 50;

interface Props {
  schema: JsonSchemaObject;
  path: readonly (string | number)[];
  draft: Draft | undefined;
  isRequired: boolean;
  isBare?: boolean;
  isFixed?: boolean;
  registry: Registry<Draft>;
  onChange: (draft: Draft | undefined) => void;
}

/**
 * A nested field, rendered by react-jsonschema-form with the entry of its schema. Its schema is adapted when it is
 * rendered.
 */
export function NestedField({
  schema,
  path,
  draft,
  isRequired,
  isBare = false,
  isFixed = false,
  registry,
  onChange,
}: Props) {
  const { root, prefix } = useFormShared();
  const node = adaptSchema(schema, root);
  const rjsf = useMemo(() => toRjsf(node), [node]);
  const field = useMemo<Field>(
    () => ({ node, path, isRequired, isBare, isFixed }),
    [node, path, isRequired, isBare, isFixed],
  );
  const { SchemaField } = registry.fields;
  if (!SchemaField) return null;
  return (
    <FieldContext value={field}>
      <SchemaField
        name={nameOfPath(path)}
        schema={rjsf.schema}
        uiSchema={rjsf.uiSchema}
        formData={draft}
        required={isRequired}
        fieldPathId={{ $id: idOfPath(prefix, path), path: [...path] }}
        registry={registry}
        onChange={(changed: Draft | undefined) => onChange(changed)}
        onBlur={ignore}
        onFocus={ignore}
      />
    </FieldContext>
  );
}

/** The form as a whole handles focus. */
function ignore(): void {}

/** Renders long lists in steps: a form of thousands of fields would block the page. */
export function useShownRows<Row>(rows: readonly Row[]): { shown: readonly Row[]; more: ReactNode } {
  const [max, setMax] = useState(step);
  const hidden = rows.length - max;
  const more =
    hidden > 0 ? (
      <div>
        <Button size="s" onClick={() => setMax(max + step)}>
          Show {Math.min(step, hidden)} more of {rows.length}
        </Button>
      </div>
    ) : null;
  return { shown: rows.slice(0, max), more };
}
