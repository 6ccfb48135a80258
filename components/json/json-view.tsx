"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { useEffect, useEffectEvent, useId, useMemo, useState } from "react";
import { type JsonLine, layOutJson } from "../../server/shared/json/json-layout.ts";
import { IconButton } from "../ui/controls/button.tsx";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { prettyText } from "./json-pieces.ts";
import { AllLines, JsonLineRow, WindowedLines } from "./json-lines.tsx";
import { type JsonMark, type LineMark, mergeMarks, resolvePointer } from "./pointers.ts";
import { RawText } from "./raw-text.tsx";
import { useJsonTree } from "./use-json-tree.ts";

/** Up to this many lines are rendered at once: the browser's search finds them, and the server renders them. */
const maxUnwindowedLines = 400;

/** A request to jump to a value: a new object each time. */
export interface JumpTo {
  pointer: string;
}

export interface JsonViewProps {
  text: string;
  label: string;
  marks?: readonly JsonMark[];
  copyLabel?: string;
  maxHeight?: number;
  /** The value to jump to: a new object for each request. */
  jumpTo?: JumpTo | null;
}

const noMarks: readonly JsonMark[] = [];

/**
 * Formatted JSON with folding and marks. Every number, escape and repeated key is unchanged. Stays responsive with a
 * megabyte. Invalid JSON is shown as plain text.
 */
export function JsonView({ maxHeight = 480, ...props }: JsonViewProps) {
  const { text, label, copyLabel } = props;
  const lines = useMemo(() => layOutJson(text), [text]);
  if (!lines) return <RawText text={text} label={label} copyLabel={copyLabel} maxHeight={maxHeight} />;
  return <JsonTree {...props} lines={lines} maxHeight={maxHeight} />;
}

/** The lines of a JSON text as a tree. */
function JsonTree({
  text,
  lines,
  label,
  marks = noMarks,
  copyLabel,
  maxHeight,
  jumpTo = null,
}: JsonViewProps & { lines: readonly JsonLine[] }) {
  const id = useId();
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const lineMarks = useMemo(() => mergeMarks(text, lines, marks), [text, lines, marks]);
  const markAt = useMemo(() => new Map(lineMarks.map((mark) => [mark.line, mark])), [lineMarks]);
  const steps = useMemo(() => lineMarks.filter(({ tone }) => tone !== "ok"), [lineMarks]);
  const tree = useJsonTree(lines, steps);

  // Scrolls to the first mark initially, and again when the marks change.
  const markedLines = steps.map(({ line }) => line).join();
  const goToFirst = useEffectEvent((lineNumbers: string) => {
    if (lineNumbers !== "") tree.goTo(Number.parseInt(lineNumbers, 10));
  });
  useEffect(() => goToFirst(markedLines), [markedLines]);

  const goToRequested = useEffectEvent((pointer: string) => {
    tree.goTo(resolvePointer(text, lines, pointer).line);
    box?.focus({ preventScroll: true });
    box?.scrollIntoView({ block: "nearest" });
  });
  useEffect(() => {
    if (jumpTo) goToRequested(jumpTo.pointer);
  }, [jumpTo]);

  const row = (at: number) => {
    const line = lines[at];
    return (
      line && (
        <JsonLineRow
          key={at}
          id={`${id}${at}`}
          at={at}
          text={text}
          line={line}
          digits={String(lines.length).length}
          isFolded={tree.folded.has(at)}
          isCurrent={tree.current === at}
          mark={markAt.get(at)}
          onToggle={tree.toggle}
          onPick={tree.pick}
        />
      )
    );
  };
  const Lines = lines.length > maxUnwindowedLines ? WindowedLines : AllLines;
  return (
    <div className="relative">
      {steps.length > 0 && <MarkSteps steps={steps} current={tree.current} step={tree.step} />}
      <div
        ref={setBox}
        role="tree"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={`${id}${tree.current}`}
        onKeyDown={tree.onKeyDown}
        style={{ maxHeight }}
        className={`group/tree overflow-y-auto py-2.5 font-mono text-s -outline-offset-2 ${copyLabel ? "pr-10" : ""}`}
      >
        <Lines shown={tree.shown} row={row} jump={tree.jump} box={box} />
      </div>
      {copyLabel && (
        <div className={`absolute right-3 rounded-m bg-panel ${steps.length > 0 ? "top-10" : "top-2"}`}>
          <CopyButton text={() => prettyText(text, lines)} label={copyLabel} />
        </div>
      )}
    </div>
  );
}

/** The number of marks, the current mark, and buttons to the previous and next mark. */
function MarkSteps({
  steps,
  current,
  step,
}: {
  steps: readonly LineMark[];
  current: number;
  step(distance: 1 | -1): void;
}) {
  const at = steps.findIndex(({ line }) => line === current);
  return (
    <div className="flex h-8 items-center gap-1 border-b px-3 text-s text-ink-3">
      <span className="mr-auto tabular-nums">
        {at < 0 ? `${steps.length} ${steps.length === 1 ? "mark" : "marks"}` : `Mark ${at + 1} of ${steps.length}`}
      </span>
      <IconButton label="Previous mark (p)" icon={ArrowUp} size="s" onClick={() => step(-1)} />
      <IconButton label="Next mark (n)" icon={ArrowDown} size="s" onClick={() => step(1)} />
    </div>
  );
}
