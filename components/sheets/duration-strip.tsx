import Link from "next/link";
import type { RunSummary } from "../../server/contract/run.ts";
import { runStatuses } from "../ui/statuses.ts";
import { durationBars } from "./duration-bars.ts";
import { formatDuration } from "../../server/domain/format.ts";

/** Bars with the durations of the last runs. Failed runs differ in colour and shape. */
export function DurationStrip({ runs }: { runs: readonly RunSummary[] }) {
  const bars = durationBars(runs);
  const longest = bars.reduce((max, { ms }) => Math.max(max, ms), 0);
  if (bars.length === 0) return <p className="flex h-16 items-center text-s text-ink-3">No ended runs yet.</p>;
  return (
    <div>
      <ul aria-label="Durations of the last runs" className="flex h-16 items-end gap-px border-b">
        {bars.map(({ id, status, ms, height }) => {
          const face = runStatuses[status];
          const label = `${face.label}, ${formatDuration(ms)}`;
          return (
            <li key={id} className="h-full max-w-3 min-w-0 flex-1">
              <Link
                href={`/runs/${encodeURIComponent(id)}`}
                prefetch={false}
                aria-label={label}
                title={label}
                className="group flex h-full items-end -outline-offset-1"
              >
                <span
                  className={`block w-full group-hover:opacity-100 ${face.tone === "bad" ? "rounded-none border-t-2 border-bad bg-bad-soft" : face.tone === "ok" ? "rounded-t-[2px] bg-accent opacity-55" : "rounded-t-[2px] bg-idle opacity-55"}`}
                  style={{ height: `${height * 100}%` }}
                />
              </Link>
            </li>
          );
        })}
      </ul>
      <p className="mt-1 text-xs text-ink-3">longest: {formatDuration(longest)}</p>
    </div>
  );
}
