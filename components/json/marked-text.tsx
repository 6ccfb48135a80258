"use client";

import { type KeyboardEvent, useId, useState } from "react";
import { PlainText } from "./plain-text.tsx";
import { ShowAll } from "../ui/controls/button.tsx";
import type { PromptPiece } from "./split-marks.ts";

/** A prompt with marked payload data. The legend shows the path of the mark under the pointer or with the focus. */
export function MarkedText({
  pieces,
  label,
  isCut,
  onWhole,
}: {
  pieces: readonly PromptPiece[];
  label: string;
  isCut: boolean;
  onWhole?: (() => void) | undefined;
}) {
  const [pointed, setPointed] = useState<string | null>(null);
  const [stop, setStop] = useState<number | null>(null);
  const base = useId();
  const paths = [...new Set(pieces.flatMap(({ path }) => (path === null ? [] : [path])))];
  // All marks share one tab stop; the arrow keys move between them.
  const firstMark = pieces.findIndex(({ path }) => path !== null);
  const tabStop = stop !== null && typeof pieces[stop]?.path === "string" ? stop : firstMark;
  const idOf = (path: string) => `${base}-${paths.indexOf(path)}`;
  return (
    <>
      {paths.length > 0 && (
        <p className="flex min-h-7 flex-wrap items-center gap-x-2 px-4 pt-2 text-s text-ink-2">
          <span aria-hidden className={`${markClass} px-1.5 text-xs`}>
            abc
          </span>
          from the payload{pointed !== null && <code className="min-w-0 truncate text-ink">{pathText(pointed)}</code>}
        </p>
      )}
      <div
        role="region"
        aria-label={label}
        tabIndex={0}
        className="max-h-[min(60vh,560px)] overflow-auto px-4 py-2.5 wrap-anywhere whitespace-pre-wrap -outline-offset-2"
      >
        {pieces.map(({ text, path }, index) =>
          path === null ? (
            <PlainText key={index} text={text} />
          ) : (
            <mark
              key={index}
              tabIndex={index === tabStop ? 0 : -1}
              onKeyDown={moveFocus}
              title={`From the payload: ${pathText(path)}`}
              aria-describedby={idOf(path)}
              onPointerEnter={() => setPointed(path)}
              onPointerLeave={() => setPointed(null)}
              onFocus={() => {
                setPointed(path);
                setStop(index);
              }}
              onBlur={() => setPointed(null)}
              className={markClass}
            >
              <PlainText text={text} />
            </mark>
          ),
        )}
        {isCut && "… "}
        {isCut && onWhole && <ShowAll onClick={onWhole} />}
      </div>
      <div hidden>
        {paths.map((path) => (
          <span key={path} id={idOf(path)}>
            From the payload: {pathText(path)}
          </span>
        ))}
      </div>
    </>
  );
}

const markClass = "rounded-s border-b-2 border-dotted border-accent bg-accent-soft box-decoration-clone text-ink";

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const marks = [...(event.currentTarget.parentElement?.querySelectorAll("mark") ?? [])];
  const next = step === undefined ? undefined : marks[marks.findIndex((mark) => mark === event.currentTarget) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function pathText(path: string): string {
  return path === "" ? "added by a function of the trigger" : path;
}
