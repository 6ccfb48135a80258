"use client";

import { useRef } from "react";
import { Button } from "../ui/button.tsx";
import { describeFault, parseDraft, printDraft } from "./draft/draft-text.ts";
import { fieldClass } from "./form/form-context.ts";

interface Props {
  id: string;
  text: string;
  onText: (text: string) => void;
}

/** The draft as JSON text. Shows the position of a syntax error, and a button that selects it. */
export function JsonEditor({ id, text, onText }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const { draft, fault } = parseDraft(text);
  const show = () => {
    if (!fault || !area.current) return;
    const at = offsetOf(text, fault.line, fault.column);
    area.current.focus();
    area.current.setSelectionRange(at, at + 1);
  };
  return (
    <div className="grid min-w-0 gap-2">
      <textarea
        ref={area}
        id={id}
        aria-label="JSON"
        aria-invalid={fault !== null || undefined}
        aria-describedby={`${id}-fault`}
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => onText(event.target.value)}
        className={`${fieldClass} h-auto max-h-[60vh] min-h-64 resize-y py-2.5 text-s leading-5 [field-sizing:content]`}
      />
      <div className="flex min-h-7 flex-wrap items-center gap-2 text-s">
        <p id={`${id}-fault`} role="status" className="min-w-0 flex-1 text-bad">
          {fault ? describeFault(fault) : ""}
        </p>
        {fault ? (
          <Button size="s" tone="quiet" onClick={show}>
            Show the error
          </Button>
        ) : (
          draft && (
            <Button size="s" tone="quiet" onClick={() => onText(printDraft(draft))}>
              Indent
            </Button>
          )
        )}
      </div>
    </div>
  );
}

/** Columns count characters, not UTF-16 units. */
function offsetOf(text: string, line: number, column: number): number {
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)];
  const start = starts[line - 1] ?? text.length;
  return (
    start +
    Array.from(text.slice(start))
      .slice(0, column - 1)
      .join("").length
  );
}
