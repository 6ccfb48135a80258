"use client";

import { X } from "lucide-react";
import type { ReactNode } from "react";
import { PlainText } from "../../json/plain-text.tsx";
import { Choice } from "../../ui/controls/choice.tsx";
import { FilterInput } from "../../ui/controls/text-input.tsx";
import type { ActiveFilter } from "./active-filters.ts";

interface Props<Name extends string> {
  text: {
    label: string;
    placeholder: string;
    value: string | null;
    onChange: (text: string | null) => void;
  };
  /** The selects. */
  children: ReactNode;
  /** Actions on the filtered rows, at the end of the bar. */
  actions?: ReactNode;
  active: readonly ActiveFilter<Name>[];
  onRemove: (name: Name) => void;
  onClear: () => void;
}

/** The filters of a list: a text, selects, and a chip for each active filter. */
export function FilterBar<Name extends string>({ text, children, actions, active, onRemove, onClear }: Props<Name>) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="w-full sm:w-64">
        <FilterInput
          label={text.label}
          value={text.value ?? ""}
          placeholder={text.placeholder}
          onChange={(value) => text.onChange(value || null)}
        />
      </div>
      {children}
      {actions && <div className="sm:ml-auto">{actions}</div>}
      {active.length > 0 && (
        <ul aria-label="Active filters" className="flex w-full flex-wrap items-center gap-1.5">
          {active.map(({ name, label }) => (
            <li key={name} className="min-w-0">
              <Chip label={label} onRemove={() => onRemove(name)} />
            </li>
          ))}
          <li>
            <button
              type="button"
              onClick={onClear}
              className="h-6 cursor-pointer rounded-full px-2 text-s text-accent hover:underline"
            >
              Clear all
            </button>
          </li>
        </ul>
      )}
    </div>
  );
}

function Chip({ label, onRemove }: { label: string; onRemove: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Remove the filter: ${label}`}
      title={`Remove the filter: ${label}`}
      onClick={onRemove}
      className="inline-flex h-6 max-w-full min-w-0 cursor-pointer items-center gap-1 rounded-full bg-accent-soft pr-1.5 pl-2.5 text-s font-medium text-accent hover:underline"
    >
      <span className="truncate">
        <PlainText text={label} />
      </span>
      <X aria-hidden size={12} className="shrink-0" />
    </button>
  );
}

/** A filter by name. The first option removes the filter. A name in the URL is an option even if it is unknown. */
export function NameFilter<Name extends string>({
  label,
  anyLabel,
  value,
  names,
  labelOf = (name) => name,
  onChange,
}: {
  label: string;
  anyLabel: string;
  value: Name | null;
  names: readonly Name[];
  labelOf?: (name: Name) => string;
  onChange: (name: Name | null) => void;
}) {
  const options = [...new Set(value === null ? names : [...names, value])];
  return (
    <Choice<Name | "">
      label={label}
      value={value ?? ""}
      options={[{ value: "", label: anyLabel }, ...options.map((name) => ({ value: name, label: labelOf(name) }))]}
      onChange={(name) => onChange(name || null)}
    />
  );
}
