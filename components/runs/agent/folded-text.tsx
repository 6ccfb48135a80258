"use client";

import { useState } from "react";
import { PlainText } from "../../json/plain-text.tsx";
import { RawText } from "../../json/raw-text.tsx";
import { cutText } from "./split-marks.ts";
import { formatNumber } from "../../../server/domain/format.ts";

const shown = { lines: 14, characters: 1_600 };

/** Plain text from a model or a person, never as markup. Long text is cut at first. */
export function FoldedText({ text, label, tone = "text-ink" }: { text: string; label: string; tone?: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const head = cutText(text, shown);
  if (isWhole) return <RawText text={text} label={label} copyLabel={`Copy the ${label}`} />;
  return (
    <p className={`px-4 py-2.5 [overflow-wrap:anywhere] whitespace-pre-wrap ${tone}`}>
      <PlainText text={head} />
      {head.length < text.length && (
        <>
          {"… "}
          <button
            type="button"
            onClick={() => setIsWhole(true)}
            className="cursor-pointer rounded-s border border-line-strong px-1.5 text-xs text-accent hover:bg-sunken"
          >
            show all {formatNumber(text.length)} characters
          </button>
        </>
      )}
    </p>
  );
}
