"use client";

import type { FieldProps } from "@rjsf/utils";
import { useCallback, useLayoutEffect, useRef } from "react";
import type { Draft } from "../draft/draft.ts";

/**
 * Changes a place by what it holds at that moment. react-jsonschema-form redraws a field only when its data differ, so
 * a field may hold an old handler: it must not bring back what its neighbours were then.
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
