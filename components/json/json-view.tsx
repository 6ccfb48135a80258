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
  /** The value to jump to: a new object for each request. */
  jumpTo?: JumpTo | null;
}

const noMarks: readonly JsonMark[] = [];

/**
 * Formatted JSON with folding and marks. Every number, escape and repeated key is unchanged. Stays responsive with a
 * megabyte. Invalid JSON is shown as plain text.
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
