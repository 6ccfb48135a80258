"use client";

import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { Segmented } from "../../ui/controls/choice.tsx";
import { fieldClass } from "./form-context.ts";

interface Props {
  attributes: { id: string; "aria-invalid": true | undefined; "aria-describedby": string | undefined };
  label?: string;
  /** Empty: no value is chosen. */
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

const maxSegments = 4;
const maxLetters = 30;

/** One of several options: segments if they are short, else a list. */
export function OptionField({ attributes, ...field }: Props & { label: string }) {
  const { options } = field;
  const letters = options.reduce((sum, { label }) => sum + label.length + 3, 0);
  if (options.length < 2 || options.length > maxSegments || letters > maxLetters)
    return <SelectField attributes={attributes} {...field} />;
  return (
    <div
      id={attributes.id}
      aria-describedby={attributes["aria-describedby"]}
      data-invalid={attributes["aria-invalid"]}
      className="min-w-0 [&>fieldset]:flex [&>fieldset]:h-[34px] [&>fieldset]:w-full data-invalid:[&>fieldset]:border-bad"
    >
      <Segmented {...field} />
    </div>
  );
}

/** A native select with the width of the other fields. */
function SelectField({ attributes, label, value, options, onChange }: Props) {
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

interface SwitchProps {
  id?: string;
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  children: ReactNode;
  describedBy?: string;
  isInvalid?: boolean;
}

/** A switch with a text for its current state. */
export function Switch({ id, label, isOn, onChange, children, describedBy, isInvalid = false }: SwitchProps) {
  return (
    <button
      type="button"
      id={id}
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      aria-describedby={describedBy}
      data-invalid={isInvalid || undefined}
      onClick={() => onChange(!isOn)}
      className="group inline-flex h-7 cursor-pointer items-center gap-2 rounded-s px-1 text-s text-ink-2 hover:text-ink"
    >
      <span
        aria-hidden
        className="flex h-4 w-7 items-center rounded-full border border-line-strong bg-sunken p-px transition-colors group-aria-checked:border-transparent group-aria-checked:bg-accent"
      >
        <span className="size-3 rounded-full bg-ink-3 transition-transform group-aria-checked:translate-x-3 group-aria-checked:bg-on-accent" />
      </span>
      {children}
    </button>
  );
}
