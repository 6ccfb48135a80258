"use client";

import { Search, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "./button.tsx";
import { keepFocus } from "./keep-focus.ts";

const debounceMs = 250;

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
}

/** A text filter for a list. Reports changes when typing pauses, or on Enter. The key `/` focuses it. */
export function FilterInput({ label, value, onChange, placeholder }: Props) {
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
