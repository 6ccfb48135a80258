"use client";

import type { FieldProps } from "@rjsf/utils";
import { createContext, useCallback, useContext, useLayoutEffect, useRef } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { toPointer } from "../../../server/shared/json/json-pointer.ts";
import type { Issue } from "../check/check-value.ts";
import type { Draft } from "../draft/draft.ts";
import type { FormNode } from "../schema/adapt-schema.ts";

/** The classes of every text field. */
export const fieldClass =
  "h-[34px] w-full min-w-0 rounded-m border border-line-strong bg-raised px-3 font-mono text-m placeholder:font-sans placeholder:text-ink-3 aria-invalid:border-bad aria-invalid:ring-2 aria-invalid:ring-bad-soft";

/** The shared state of the fields of one form. */
export interface FormShared {
  root: JsonSchemaObject;
  /** A unique prefix for the ids of this form. */
  prefix: string;
  /** The visible validation issues by JSON pointer. */
  issues: ReadonlyMap<string, readonly Issue[]>;
  /** The requirement of the trigger's filter at a path. */
  hintAt: (path: readonly (string | number)[]) => string | null;
}

/** One value of the document with its path. */
export interface Field {
  node: FormNode;
  path: readonly (string | number)[];
  isRequired: boolean;
  /** Rendered inside of a field that already has the label. */
  isBare: boolean;
  /** The row of the field has the remove button. */
  isFixed: boolean;
}

export const FormContext = createContext<FormShared | null>(null);
export const FieldContext = createContext<Field | null>(null);

export function useFormShared(): FormShared {
  const shared = useContext(FormContext);
  if (!shared) throw new Error("A form field is rendered outside of its form.");
  return shared;
}

export function useField(): Field {
  const field = useContext(FieldContext);
  if (!field) throw new Error("A form field is rendered without its path.");
  return field;
}

/**
 * Updates a field from its current value. react-jsonschema-form rerenders a field only if its data changed, so a field
 * may have an old handler, which must not restore old values of its siblings.
 */
export function useChange({
  formData,
  onChange,
  fieldPathId,
}: FieldProps<Draft>): (update: (draft: Draft | undefined) => Draft | undefined) => void {
  const latest = useRef({ formData, onChange, path: fieldPathId.path });
  useLayoutEffect(() => {
    latest.current = { formData, onChange, path: fieldPathId.path };
  });
  return useCallback((update) => {
    const { formData, onChange, path } = latest.current;
    const changed = update(formData);
    latest.current.formData = changed;
    onChange(changed, path);
  }, []);
}

/** The attributes that connect a control to its label and its validation issues. */
export function useFieldAttributes(id: string) {
  const { issues } = useFormShared();
  const { path } = useField();
  const isInvalid = (issues.get(toPointer(path)) ?? []).length > 0;
  return { id, "aria-invalid": isInvalid || undefined, "aria-describedby": isInvalid ? `${id}-error` : undefined };
}
