"use client";

import { TriangleAlert } from "lucide-react";
import { PlainText } from "../../json/plain-text.tsx";
import { useNow } from "../../ui/time.tsx";
import { failureWords } from "./call-words.ts";
import type { FailedTry } from "./conversation.ts";
import { cutText } from "./split-marks.ts";
import { formatDuration } from "../../../server/domain/format.ts";

const maxText = { lines: 4, characters: 400 };

/** The failed tries of a model call, each with its error and the wait before the retry. */
export function FailedTries({ tries }: { tries: readonly FailedTry[] }) {
  if (tries.length === 0) return null;
  return (
    <ol aria-label="Failed tries" className="grid gap-1 px-4 py-2 text-s">
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
              "not retried"
            ) : again === null ? (
              `retried after ${formatDuration(failure.waitMs)}`
            ) : (
              <Countdown until={again} />
            )}
            <span className="block whitespace-pre-wrap text-ink-2">
              <PlainText text={cutText(failure.message, maxText)} />
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
      {left > 0 ? `retry in ${formatDuration(left)}` : "retry as soon as a worker is free"}
    </span>
  );
}
