"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronRight } from "lucide-react";
import { memo, type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { formatBytes } from "../../server/shared/format.ts";
import type { JsonLine } from "../../server/shared/json/json-layout.ts";
import { ShowAll } from "../ui/controls/button.tsx";
import { type Tone, toneGrounds, toneTexts } from "../ui/statuses.ts";
import { isFoldable, type Piece, type PieceKind, piecesOfLine } from "./json-pieces.ts";
import { PlainText } from "./plain-text.tsx";
import type { LineMark } from "./pointers.ts";
import type { Jump } from "./use-json-tree.ts";

/** Longer strings are shown on demand: a megabyte in one line would block the browser for seconds. */
const maxCharacters = 2_000;
const maxNotes = 2;

interface JsonLineRowProps {
  id: string;
  at: number;
  text: string;
  line: JsonLine;
  /** Width of the line numbers, in digits. */
  digits: number;
  isFolded: boolean;
  isCurrent: boolean;
  mark: LineMark | undefined;
  onToggle(at: number): void;
  onPick(at: number): void;
}

/** One line of the formatted view. */
export const JsonLineRow = memo(function JsonLineRow({
  id,
  at,
  text,
  line,
  digits,
  isFolded,
  isCurrent,
  mark,
  onToggle,
  onPick,
}: JsonLineRowProps) {
  const canFold = isFoldable(line);
  return (
    <div
      id={id}
      data-line={at}
      {...(line.kind === "end"
        ? { role: "presentation" }
        : {
            role: "treeitem",
            "aria-level": line.depth + 1,
            "aria-selected": isCurrent,
            "aria-expanded": canFold ? !isFolded : undefined,
          })}
      onClick={() => onPick(at)}
      className={`flex items-start pr-4 leading-5 ${isCurrent ? "group-focus-visible/tree:bg-sunken" : ""}`}
    >
      <span
        aria-hidden
        className="shrink-0 pl-3 text-right text-ink-3 tabular-nums select-none"
        style={{ width: `calc(${digits}ch + 12px)` }}
      >
        {at + 1}
      </span>
      <span aria-hidden className="flex h-5 w-5 shrink-0 items-center justify-center select-none">
        {canFold && (
          <button
            type="button"
            tabIndex={-1}
            onClick={() => onToggle(at)}
            title={isFolded ? "Unfold" : "Fold"}
            className="flex h-5 w-5 cursor-pointer items-center justify-center text-ink-3 hover:text-ink"
          >
            {isFolded ? <ChevronRight size={12} /> : <ChevronDown size={12} />}
          </button>
        )}
      </span>
      <span
        className="min-w-0 wrap-anywhere whitespace-pre-wrap"
        style={{ paddingLeft: `min(${line.depth * 2}ch, 40%)` }}
      >
        {piecesOfLine(text, line, isFolded).map((piece, index) => (
          <PieceOfLine key={index} piece={piece} tone={piece.isValue ? mark?.tone : undefined} notes={mark?.notes} />
        ))}
        {isFolded && <span className="ml-2 text-ink-3 select-none">{countOf(line)}</span>}
        {mark && <Notes mark={mark} />}
      </span>
    </div>
  );
});

const syntax: Record<PieceKind, string> = {
  key: "text-ink-2",
  string: "text-ink",
  number: "text-run",
  word: "text-run",
  bracket: "text-ink-3",
  punctuation: "text-ink-3",
};

interface LinesProps {
  shown: readonly number[];
  row(line: number): ReactNode;
  jump: Jump | null;
  /** The scroll container; `null` before it is mounted. Not a ref, because it mounts after the first effects here. */
  box: HTMLDivElement | null;
}

/** Renders every line. */
export function AllLines({ shown, row, jump, box }: LinesProps) {
  useEffect(() => {
    const line = jump && box?.querySelector<HTMLElement>(`[data-line="${jump.line}"]`);
    if (!box || !line) return;
    // Scrolls only this container, and only if needed.
    const top = line.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (top < 0 || top + line.offsetHeight > box.clientHeight) box.scrollBy({ top: top - box.clientHeight / 2 });
  }, [jump, box]);
  return shown.map(row);
}

/** Renders only the visible lines of a long text, and some around them. */
export function WindowedLines({ shown, row, jump, box }: LinesProps) {
  // oxlint-disable-next-line react/incompatible-library -- nothing of the virtualizer is handed on
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box,
    estimateSize: () => 20,
    getItemKey: (index) => shown[index] ?? index,
    overscan: 30,
  });
  const scrollTo = useEffectEvent((line: number) => {
    const index = shown.indexOf(line);
    const isInView = virtualizer
      .getVirtualItems()
      .some(
        (item) =>
          item.index === index &&
          item.start >= (virtualizer.scrollOffset ?? 0) &&
          item.end <= (virtualizer.scrollOffset ?? 0) + (virtualizer.scrollRect?.height ?? 0),
      );
    if (!isInView) virtualizer.scrollToIndex(index, { align: "center" });
  });
  useEffect(() => {
    if (jump && box) scrollTo(jump.line);
  }, [jump, box]);
  return (
    <div role="presentation" className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map((item) => (
        <div
          key={item.key}
          ref={virtualizer.measureElement}
          data-index={item.index}
          role="presentation"
          className="absolute inset-x-0 top-0"
          style={{ transform: `translateY(${item.start}px)` }}
        >
          {row(shown[item.index] ?? -1)}
        </div>
      ))}
    </div>
  );
}

function PieceOfLine({ piece, tone, notes }: { piece: Piece; tone: Tone | undefined; notes: string[] | undefined }) {
  if (tone === undefined)
    return (
      <span className={syntax[piece.kind]}>
        <Truncated text={piece.text} />
      </span>
    );
  return (
    <mark title={notes?.join("\n")} className={`rounded-s border-b-2 px-1 ${toneGrounds[tone]}`}>
      <Truncated text={piece.text} />
    </mark>
  );
}

function Truncated({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  if (isWhole || text.length <= maxCharacters) return <PlainText text={text} />;
  return (
    <>
      <PlainText text={text.slice(0, maxCharacters)} />…{" "}
      <ShowAll onClick={() => setIsWhole(true)} of={formatBytes(text.length)} />
    </>
  );
}

function Notes({ mark: { tone, notes } }: { mark: LineMark }) {
  if (notes.length === 0) return null;
  // Satisfied conditions have no visible note.
  if (tone === "ok") return <span className="sr-only">{notes.join(". ")}</span>;
  const hidden = notes.length - maxNotes;
  return (
    <span title={notes.join("\n")} className={`ml-3 font-sans text-xs select-none ${toneTexts[tone]}`}>
      <PlainText text={notes.slice(0, maxNotes).join(" · ")} />
      {hidden > 0 && ` · and ${hidden} more`}
    </span>
  );
}

function countOf({ kind, count }: JsonLine): string {
  const one = kind === "object" ? "key" : "item";
  return `${count} ${count === 1 ? one : `${one}s`}`;
}
