"use client";

import { useState } from "react";
import { ShowAll } from "../ui/controls/button.tsx";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { PlainText } from "./plain-text.tsx";
import { formatBytes } from "../../server/shared/format.ts";

/** Longer text is shown on demand. */
const maxCharacters = 50_000;

/** The exact text, with invisible characters shown as code points. Copying yields the original text. */
export function RawText({
  text,
  label,
  copyLabel,
  maxHeight = 480,
}: {
  text: string;
  label: string;
  copyLabel?: string;
  maxHeight?: number;
}) {
  const [isWhole, setIsWhole] = useState(false);
  const isCut = !isWhole && text.length > maxCharacters;
  return (
    <div className="relative">
      <pre
        tabIndex={0}
        role="region"
        aria-label={`${label}, as text`}
        style={{ maxHeight }}
        className={`overflow-auto py-3 pl-4 text-s/5 wrap-anywhere whitespace-pre-wrap text-ink ${copyLabel ? "pr-14" : "pr-4"}`}
      >
        <PlainText text={isCut ? text.slice(0, maxCharacters) : text} />
        {isCut && (
          <>
            … <ShowAll onClick={() => setIsWhole(true)} of={formatBytes(text.length)} />
          </>
        )}
      </pre>
      {copyLabel && (
        <div className="absolute top-2 right-3 rounded-m bg-panel">
          <CopyButton text={text} label={copyLabel} />
        </div>
      )}
    </div>
  );
}
