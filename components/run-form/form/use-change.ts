"use client";

import type { FieldProps } from "@rjsf/utils";
import { useCallback, useLayoutEffect, useRef } from "react";
import type { Draft } from "../draft/draft.ts";

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
