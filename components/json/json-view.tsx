"use client";

import { useMemo } from "react";
import { JsonTree, type JumpTo } from "./json-tree.tsx";
import { layOutJson } from "./lay-out-json.ts";
import type { JsonMark } from "./place-marks.ts";
import { RawText } from "./raw-text.tsx";

export interface JsonViewProps {
  text: string;
  label: string;
  marks?: readonly JsonMark[];
  copyLabel?: string;
  maxHeight?: number;
  /** A place to go to: a new object each time it is asked for. */
  jumpTo?: JumpTo | null;
}

const noMarks: readonly JsonMark[] = [];

/**
 * JSON laid out for reading, made from the text itself: every number, escape and repeated key stands as it came. Folds,
 * marks places, and stays quick with a megabyte. What is not JSON is shown as it is.
 */
export function JsonView({ text, label, marks = noMarks, copyLabel, maxHeight = 480, jumpTo = null }: JsonViewProps) {
  const lines = useMemo(() => layOutJson(text), [text]);
  if (!lines) return <RawText text={text} label={label} copyLabel={copyLabel} maxHeight={maxHeight} />;
  return (
    <JsonTree
      text={text}
      lines={lines}
      label={label}
      marks={marks}
      copyLabel={copyLabel}
      maxHeight={maxHeight}
      jumpTo={jumpTo}
    />
  );
}
