"use client";

import type { Registry } from "@rjsf/utils";
import { useMemo } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { adaptSchema, toRjsf } from "../adapt-schema.ts";
import type { Draft } from "../draft/draft.ts";
import { type Place, PlaceContext, useFormShared } from "./form-context.ts";
import { idOfPath, nameOfPath } from "./place-names.ts";

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
export function PlaceField({
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
  const place = useMemo<Place>(
    () => ({ node, path, isRequired, isBare, isFixed }),
    [node, path, isRequired, isBare, isFixed],
  );
  const { SchemaField } = registry.fields;
  if (!SchemaField) return null;
  return (
    <PlaceContext value={place}>
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
    </PlaceContext>
  );
}

/** The form as a whole handles focus. */
function ignore(): void {}
