"use client";

import { ChevronRight, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { FailedAttempt } from "../../../server/contract/agent/conversation.ts";
import { formatDuration } from "../../../server/shared/format.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { useNow } from "../../ui/time.tsx";
import { failureLabels } from "./call-labels.ts";
import { cutText } from "../../json/split-marks.ts";

const maxText = { lines: 4, characters: 400 };

/** The heading of a part of the conversation, with its facts. */
export function StepHead({
  icon: Icon,
  title,
  badge,
  facts,
  name,
}: {
  icon: LucideIcon;
  title: string;
  badge?: ReactNode;
  facts: readonly ReactNode[];
  name?: string;
}) {
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-0.5 bg-sunken px-4 py-1.5">
      <h3 className="flex items-center gap-1.5 font-semibold">
        <Icon aria-hidden size={14} className="shrink-0 text-ink-3" />
        {title}
      </h3>
      {name && <code className="min-w-0 truncate text-s text-ink-2">{name}</code>}
      {badge}
      {facts.length > 0 && (
        <ul className="flex min-w-0 flex-wrap gap-x-3 text-s text-ink-2 tabular-nums md:ml-auto">
          {facts.map((fact, index) => (
            <li key={index}>{fact}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A collapsed section. */
export function Fold({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <details className="group/fold border-t">
      <summary className="flex min-h-8 cursor-pointer list-none items-center gap-1.5 px-4 text-s text-ink-2 -outline-offset-2 hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          size={12}
          className="shrink-0 text-ink-3 transition-transform group-open/fold:rotate-90"
        />
        {title}
        {note && <span className="text-ink-3">{note}</span>}
      </summary>
      {children}
    </details>
  );
}

/** The failed attempts of a model call, each with its error and the wait before the retry. */
export function FailedAttempts({ attempts }: { attempts: readonly FailedAttempt[] }) {
  if (attempts.length === 0) return null;
  return (
    <ol aria-label="Failed tries" className="grid gap-1 px-4 py-2 text-s">
      {attempts.map(({ key, failure, durationMs, retryAt }, index) => (
        <li key={key} className="flex items-start gap-2">
          <TriangleAlert aria-hidden size={13} className="mt-0.5 shrink-0 text-wait" />
          <span className="min-w-0 wrap-anywhere">
            <span className="font-[560]">
              Try {index + 1}: {failureLabels[failure.kind]}
              {failure.status !== null && ` (${failure.status})`}
            </span>{" "}
            <span className="text-ink-3 tabular-nums">after {formatDuration(durationMs)}</span>
            {" · "}
            {failure.waitMs === null ? (
              "not retried"
            ) : retryAt === null ? (
              `retried after ${formatDuration(failure.waitMs)}`
            ) : (
              <Countdown until={retryAt} />
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
