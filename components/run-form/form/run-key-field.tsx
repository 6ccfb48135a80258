"use client";

import { useId } from "react";
import { maxKeyLength } from "../../../sdk/run-key.ts";

/** What a run is about that starts without a webhook. */
export function RunKeyField({
  text,
  hasTrigger,
  onText,
}: {
  text: string;
  hasTrigger: boolean;
  onText: (text: string) => void;
}) {
  const id = useId();
  return (
    <div className="grid gap-1 border-t pt-3">
      <label htmlFor={id} className="text-s font-semibold">
        Key of the run
      </label>
      <input
        id={id}
        value={text}
        maxLength={maxKeyLength}
        onChange={(event) => onText(event.target.value)}
        spellCheck={false}
        autoComplete="off"
        aria-describedby={`${id}-hint`}
        className="w-full rounded-m border border-line-strong bg-raised px-2.5 py-1.5 font-mono text-s"
      />
      <span id={`${id}-hint`} className="text-s text-ink-3">
        {hasTrigger
          ? "Optional. Default: the key that the trigger reads from the payload."
          : "Optional: what the run is about, e.g. the id of a customer. Lists of runs filter by it."}
      </span>
    </div>
  );
}
