"use client";

import type { ReactNode } from "react";
import { ErrorNote, Skeleton } from "../../ui/states.tsx";

interface ListQuery<Item> {
  data: { data: Item[] } | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** A short list with its loading, error and empty states. `rows`: maximum number of rows, which reserves the height. */
export function SheetList<Item>({
  query,
  noun,
  rows,
  empty,
  children,
}: {
  query: ListQuery<Item>;
  noun: string;
  rows: number;
  empty: ReactNode;
  children: (items: Item[]) => ReactNode;
}) {
  const items = query.data?.data;
  if (items) return items.length > 0 ? children(items) : empty;
  if (query.error)
    return (
      <ErrorNote error={query.error} title={`The ${noun} could not be loaded`} retry={() => void query.refetch()} />
    );
  return (
    <div role="status" aria-label={`Loading ${noun}`} className="divide-y rounded-m border">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-9 items-center gap-3 border-line px-2.5">
          <Skeleton className="h-3 w-20 rounded-full" />
          <Skeleton className="h-2.5 flex-1 rounded-full" />
          <Skeleton className="h-2.5 w-12 rounded-full" />
        </div>
      ))}
    </div>
  );
}
