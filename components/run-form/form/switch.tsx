"use client";

import type { ReactNode } from "react";

interface Props {
  id?: string;
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  children: ReactNode;
  describedBy?: string;
  isInvalid?: boolean;
}

/** A switch with a text for its current state. */
export function Switch({ id, label, isOn, onChange, children, describedBy, isInvalid = false }: Props) {
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
