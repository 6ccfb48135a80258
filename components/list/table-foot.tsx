import type { ReactNode } from "react";
import { Button } from "../ui/controls/button.tsx";
import { ErrorNote } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { rowPx } from "./column.ts";
import { formatCount } from "../../server/shared/format.ts";

interface Props {
  count: number;
  hasMore: boolean;
  searchedTo: string | null;
  isStopped: boolean;
  stop: (() => void) | undefined;
  error: unknown;
  onNeedMore: () => void;
  retry: (() => void) | undefined;
}

/** The line below the last row: loading, searching, stopped, failed, or the end of the list. */
export function TableFoot({ count, hasMore, searchedTo, isStopped, stop, error, onNeedMore, retry }: Props) {
  if (error) {
    return (
      <Line>
        <ErrorNote title="More rows could not be loaded" error={error} retry={retry} />
      </Line>
    );
  }
  if (hasMore && isStopped) {
    return (
      <Line>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-ink-2">
          <span role="status">Search stopped. {found(count)}</span>
          <SearchedTo time={searchedTo} />
          <Button size="s" onClick={onNeedMore}>
            Search older rows
          </Button>
        </div>
      </Line>
    );
  }
  if (hasMore) {
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 text-s text-ink-3">
        <p role="status" className="flex items-center gap-2">
          <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-accent" />
          {searchedTo === null ? "Loading older rows…" : "Searching older rows…"}
        </p>
        <SearchedTo time={searchedTo} />
        {searchedTo !== null && stop && (
          <Button size="s" onClick={stop}>
            Stop search
          </Button>
        )}
      </div>
    );
  }
  if (count < 10) return null;
  return <p className="px-4 py-3.5 text-s text-ink-3">End of the list: {formatCount(count, "row")}.</p>;
}

/** How far back the search is. Not announced: it changes every second. */
function SearchedTo({ time }: { time: string | null }) {
  if (time === null) return null;
  return (
    <span>
      Searched back to <RelativeTime iso={time} />.
    </span>
  );
}

function found(count: number): string {
  return count === 0 ? "No matches so far." : `${formatCount(count, "row")} found so far.`;
}

function Line({ children }: { children: ReactNode }) {
  return <div className="px-4 py-3">{children}</div>;
}

/** Placeholder rows with the height of loaded rows. */
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
