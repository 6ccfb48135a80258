"use client";

import { ChevronDown } from "lucide-react";

interface Props<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

/** A compact native select, so that every device shows its own picker. */
export function Choice<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  return (
    <span className="relative inline-flex h-8 max-w-full min-w-0 items-center rounded-m border border-line-strong bg-raised text-ink-2 hover:bg-sunken hover:text-ink">
      <select
        aria-label={label}
        title={label}
        value={value}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (chosen) onChange(chosen.value);
        }}
        className="h-full max-w-56 min-w-0 cursor-pointer appearance-none truncate rounded-m bg-transparent pr-7 pl-2.5 font-medium [field-sizing:content]"
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} className="bg-raised text-ink">
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden size={14} className="pointer-events-none absolute right-2" />
    </span>
  );
}
