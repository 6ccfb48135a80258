"use client";

import { Search, X } from "lucide-react";
import { type ComponentProps, useEffect, useId, useRef, useState } from "react";
import { IconButton } from "./button.tsx";
import { keepFocus } from "../focus.ts";

interface TextInputProps extends ComponentProps<"input"> {
  label: string;
  /** Error message for the value. */
  error?: string;
}

/** A single-line text field with its label. */
export function TextInput({ label, error, className = "", ...rest }: TextInputProps) {
  const id = useId();
  return (
    <div className={`min-w-0 ${className}`}>
      <label htmlFor={id} className="mb-1 block text-s font-medium text-ink-2">
        {label}
      </label>
      <input
        spellCheck={false}
        autoComplete="off"
        {...rest}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        className="h-8 w-full min-w-0 rounded-m border border-line-strong bg-raised px-2.5 placeholder:text-ink-3 aria-invalid:border-bad"
      />
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="mt-1 text-s text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

const debounceMs = 250;

interface FilterInputProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
}

/** A text filter for a list. Reports changes when typing pauses, or on Enter. The key `/` focuses it. */
export function FilterInput({ label, value, onChange, placeholder }: FilterInputProps) {
  const [draft, setDraft] = useState(value);
  const [reported, setReported] = useState(value);
  const report = useRef(onChange);
  useEffect(() => {
    report.current = onChange;
  });
  // The value changed elsewhere (the back button, "clear all") and replaces the typed text.
  if (value !== reported) {
    setReported(value);
    setDraft(value);
  }
  const send = (text: string) => {
    setDraft(text);
    setReported(text);
    if (text !== value) report.current(text);
  };
  useEffect(() => {
    if (draft === value) return;
    const timer = setTimeout(() => {
      setReported(draft);
      report.current(draft);
    }, debounceMs);
    return () => clearTimeout(timer);
  }, [draft, value]);
  return (
    <div role="search" className="relative flex min-w-0 items-center">
      <Search aria-hidden size={14} className="pointer-events-none absolute left-2.5 text-ink-3" />
      <input
        type="text"
        inputMode="search"
        enterKeyHint="search"
        data-filter-input=""
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        value={draft}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") send(draft);
          if (event.key !== "Escape") return;
          if (draft === "") {
            event.currentTarget.blur();
            keepFocus();
          } else event.stopPropagation();
          send("");
        }}
        className="peer h-8 w-full min-w-0 rounded-m border border-line-strong bg-raised pr-8 pl-8 placeholder:text-ink-3"
      />
      {draft === "" ? (
        <kbd
          aria-hidden
          className="pointer-events-none absolute right-2 rounded-s border px-1.5 text-xs text-ink-3 peer-focus:hidden pointer-coarse:hidden"
        >
          /
        </kbd>
      ) : (
        <IconButton label="Clear" icon={X} size="s" onClick={() => send("")} className="absolute right-0.5" />
      )}
    </div>
  );
}
