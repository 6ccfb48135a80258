"use client";

import { toPointer } from "../../../server/domain/json/json-pointer.ts";
import { useFormShared, usePlace } from "./form-context.ts";

/** The attributes that connect a control to its label and its validation issues. */
export function useFieldAttributes(id: string) {
  const { issues } = useFormShared();
  const { path } = usePlace();
  const isInvalid = (issues.get(toPointer(path)) ?? []).length > 0;
  return { id, "aria-invalid": isInvalid || undefined, "aria-describedby": isInvalid ? `${id}-error` : undefined };
}

/** The classes of every text field. */
export const fieldClass =
  "h-[34px] w-full min-w-0 rounded-m border border-line-strong bg-raised px-3 font-mono text-m placeholder:font-sans placeholder:text-ink-3 aria-invalid:border-bad aria-invalid:ring-2 aria-invalid:ring-bad-soft";
