"use client";

import { type KeyboardEvent, useCallback, useMemo, useState } from "react";
import type { JsonLine } from "../../server/shared/json/json-layout.ts";
import { isFoldable, shownLines, unfoldAround } from "./json-pieces.ts";
import type { LineMark } from "./pointers.ts";

/** A request to scroll to a line: a new object each time. */
export interface Jump {
  line: number;
}

const nothing: ReadonlySet<number> = new Set();

/** State of the tree: folded values, current line, keyboard handling. */
export function useJsonTree(lines: readonly JsonLine[], steps: readonly LineMark[]) {
  const [folded, setFolded] = useState(nothing);
  const [current, setCurrent] = useState(0);
  const [jump, setJump] = useState<Jump | null>(null);
  const shown = useMemo(() => shownLines(lines, folded), [lines, folded]);

  const goTo = useCallback(
    (line: number) => {
      setFolded((before) => unfoldAround(lines, before, line));
      setCurrent(line);
      setJump({ line });
    },
    [lines],
  );
  const toggle = useCallback((at: number) => {
    setCurrent(at);
    setFolded((before) =>
      before.has(at) ? new Set([...before].filter((other) => other !== at)) : new Set([...before, at]),
    );
  }, []);
  const step = (distance: 1 | -1) => {
    const next =
      distance === 1
        ? (steps.find(({ line }) => line > current) ?? steps[0])
        : (steps.findLast(({ line }) => line < current) ?? steps.at(-1));
    if (next) goTo(next.line);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const action = actionOf(event.key, { lines, shown, folded, current, goTo, toggle, step });
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  return { folded, shown, current, jump, goTo, toggle, step, pick: setCurrent, onKeyDown };
}

interface Keys {
  lines: readonly JsonLine[];
  shown: readonly number[];
  folded: ReadonlySet<number>;
  current: number;
  goTo(line: number): void;
  toggle(line: number): void;
  step(distance: 1 | -1): void;
}

/** Arrow keys move, fold and unfold, as in other trees. `n` and `p` go to the next and the previous mark. */
function actionOf(key: string, { lines, shown, folded, current, goTo, toggle, step }: Keys): (() => void) | null {
  const line = lines[current];
  if (!line) return null;
  const index = shown.indexOf(current);
  const to = (target: number | undefined) => (target === undefined || target < 0 ? null : () => goTo(target));
  const isOpen = isFoldable(line) && !folded.has(current);
  switch (key) {
    case "ArrowDown":
      return to(shown[Math.min(index + 1, shown.length - 1)]);
    case "ArrowUp":
      return to(shown[Math.max(index - 1, 0)]);
    case "ArrowLeft":
      return isOpen ? () => toggle(current) : to(line.parent);
    case "ArrowRight":
      return folded.has(current) ? () => toggle(current) : isOpen ? to(current + 1) : null;
    case "Enter":
    case " ":
      return isFoldable(line) ? () => toggle(current) : null;
    case "Home":
      return to(shown[0]);
    case "End":
      return to(shown.at(-1));
    case "n":
      return () => step(1);
    case "p":
      return () => step(-1);
    default:
      return null;
  }
}
