"use client";

import { ChevronDown } from "lucide-react";
import { useId } from "react";

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

/** A compact native select, so that every device shows its own picker. */
export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
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

/** A radio group that looks like a switch with several positions. */
export function Segmented<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className="inline-flex h-8 shrink-0 overflow-clip rounded-m border border-line-strong bg-raised has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          // An invisible bold copy reserves the width, so that selecting another option does not shift the layout.
          data-label={option.label}
          className="relative grid min-w-0 flex-auto cursor-pointer place-content-center border-l px-3 after:invisible after:h-0 after:overflow-hidden after:font-semibold after:content-[attr(data-label)] font-medium whitespace-nowrap text-ink-2 first-of-type:border-l-0 hover:text-ink has-checked:bg-accent-soft has-checked:font-semibold has-checked:text-accent"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 cursor-pointer appearance-none outline-none"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
