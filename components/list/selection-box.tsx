"use client";

import type { MouseEvent } from "react";

interface Props {
  label: string;
  state: "on" | "off" | "some";
  onToggle: (isRange: boolean) => void;
  className?: string;
}

/** A checkbox with padding. A click with Shift selects a range from the last clicked one. */
export function SelectionBox({ label, state, onToggle, className = "" }: Props) {
  const onClick = (event: MouseEvent) => onToggle(event.shiftKey);
  return (
    <label className={`relative -m-2 grid size-9 cursor-pointer place-items-center select-none ${className}`}>
      <input
        type="checkbox"
        aria-label={label}
        checked={state === "on"}
        ref={(input) => {
          if (input) input.indeterminate = state === "some";
        }}
        onClick={onClick}
        onChange={() => {}}
        className="size-4 cursor-pointer accent-(--accent)"
      />
    </label>
  );
}
