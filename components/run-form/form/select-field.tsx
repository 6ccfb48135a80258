"use client";

import { ChevronDown } from "lucide-react";
import { fieldClass } from "./use-field-attributes.ts";

interface Props {
  attributes: { id: string; "aria-invalid": true | undefined; "aria-describedby": string | undefined };
  label?: string;
  /** Empty: no value is chosen. */
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

/** A native select with the width of the other fields. */
export function SelectField({ attributes, label, value, options, onChange }: Props) {
  return (
    <span className="relative block min-w-0">
      <select
        {...attributes}
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`${fieldClass} cursor-pointer appearance-none truncate pr-8 ${value === "" ? "font-sans text-ink-3" : ""}`}
      >
        {value === "" && <option value="">absent</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value} className="bg-raised text-ink">
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        size={14}
        className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-ink-3"
      />
    </span>
  );
}
