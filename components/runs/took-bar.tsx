"use client";

import type { RunSummary } from "../../server/contract/run.ts";
import { isOpen } from "../ui/statuses.ts";
import { useNow } from "../ui/time.tsx";
import { formatDuration } from "../../server/domain/format.ts";

/** A full bar is one minute. */
const fullMs = 60_000;

/** The duration of a run, with a bar on a logarithmic scale to compare milliseconds and minutes. */
export function TookBar({ run }: { run: RunSummary }) {
  const now = useNow();
  if (run.startedAt === null) return <span className="text-ink-3">–</span>;
  const ms = Math.max(
    0,
    (run.finishedAt === null ? Math.floor(now / 1000) * 1000 : Date.parse(run.finishedAt)) - Date.parse(run.startedAt),
  );
  const share = Math.min(1, Math.log10(1 + ms) / Math.log10(1 + fullMs));
  return (
    <span className="flex items-center gap-2">
      <span className="w-[72px] shrink-0 tabular-nums">{formatDuration(ms)}</span>
      <span
        aria-hidden
        title="Logarithmic scale; a full bar is 1 minute"
        className="h-1.5 min-w-0 flex-1 overflow-hidden rounded-full bg-sunken"
      >
        <span
          className={`block h-full rounded-full ${isOpen(run.status) ? "bg-run" : run.status === "completed" ? "bg-ok" : run.status === "canceled" ? "bg-idle" : "bg-bad"} opacity-70`}
          style={{ width: `${share * 100}%` }}
        />
      </span>
    </span>
  );
}
