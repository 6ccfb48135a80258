import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { rowPx } from "./column.ts";
import { formatNumber } from "../../server/domain/format.ts";

interface Props {
  count: number;
  hasMore: boolean;
  isPaused: boolean;
  error: unknown;
  onNeedMore: () => void;
  retry: (() => void) | undefined;
}

/** What stands below the last row: that there is more, that looking stopped, that reading failed, or the end. */
export function TableFoot({ count, hasMore, isPaused, error, onNeedMore, retry }: Props) {
  if (error) {
    return (
      <Line>
        <ErrorNote what="The list could not be read further" error={error} retry={retry} />
      </Line>
    );
  }
  if (hasMore && isPaused) {
    return (
      <Line>
        <div className="flex flex-wrap items-center gap-3 text-ink-2">
          <span>
            {count === 0 ? "Nothing found yet." : `${counted(count)} found so far.`} The older ones that were looked
            through do not match.
          </span>
          <Button size="s" onClick={onNeedMore}>
            Look further back
          </Button>
        </div>
      </Line>
    );
  }
  if (hasMore) {
    return (
      <p role="status" className="flex items-center gap-2 px-4 py-3.5 text-s text-ink-3">
        <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-accent" />
        {count === 0 ? "Looking further back…" : "Reading older ones…"}
      </p>
    );
  }
  if (count < 10) return null;
  return <p className="px-4 py-3.5 text-s text-ink-3">That is all: {counted(count)}.</p>;
}

function Line({ children }: { children: ReactNode }) {
  return <div className="px-4 py-3">{children}</div>;
}

function counted(count: number): string {
  return `${formatNumber(count)} row${count === 1 ? "" : "s"}`;
}

/** Rows to come, as high as they will be. */
export function SkeletonRows({ rows, columns, label }: { rows: number; columns: number; label: string }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={row}
          style={{ height: rowPx }}
          className="flex items-center border-b px-4 last:border-0 md:grid md:grid-cols-(--tracks) md:gap-x-4"
        >
          {Array.from({ length: columns }, (_, column) => (
            <span
              key={column}
              style={{ width: `${40 + ((row * 7 + column * 13) % 5) * 10}%` }}
              className="h-2.5 animate-pulse rounded-full bg-sunken"
            />
          ))}
        </div>
      ))}
    </div>
  );
}
