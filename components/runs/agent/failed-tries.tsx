"use client";

import { TriangleAlert } from "lucide-react";
import { PlainText } from "../../json/plain-text.tsx";
import { useNow } from "../../ui/use-now.ts";
import { failureWords } from "./call-words.ts";
import type { FailedTry } from "./conversation.ts";
import { cutText } from "./split-marks.ts";
import { formatDuration } from "../../../server/domain/format.ts";

const mostWords = { lines: 4, characters: 400 };

/** Tries of a call that failed, each with its reason and how long is waited after it. */
export function FailedTries({ tries }: { tries: readonly FailedTry[] }) {
  if (tries.length === 0) return null;
  return (
    <ol aria-label="Tries that failed" className="grid gap-1 px-4 py-2 text-s">
      {tries.map(({ key, failure, durationMs, again }, index) => (
        <li key={key} className="flex items-start gap-2">
          <TriangleAlert aria-hidden size={13} className="mt-0.5 shrink-0 text-wait" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <span className="font-[560]">
              Try {index + 1}: {failureWords[failure.kind]}
              {failure.status !== null && ` (${failure.status})`}
            </span>{" "}
            <span className="text-ink-3 tabular-nums">after {formatDuration(durationMs)}</span>
            {" · "}
            {failure.waitMs === null ? (
              "not tried again"
            ) : again === null ? (
              `tried again ${formatDuration(failure.waitMs)} later`
            ) : (
              <Countdown until={again} />
            )}
            <span className="block whitespace-pre-wrap text-ink-2">
              <PlainText text={cutText(failure.message, mostWords)} />
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}

function Countdown({ until }: { until: number }) {
  const now = useNow();
  const left = Math.ceil((until - now) / 1000) * 1000;
  return (
    <span className="text-wait tabular-nums">
      {left > 0 ? `tried again in ${formatDuration(left)}` : "tried again as soon as a worker is free"}
    </span>
  );
}
