"use client";

import type { ReactNode } from "react";
import { ErrorNote } from "../ui/error-note.tsx";

interface ListQuery<Item> {
  data: { data: Item[] } | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** The four faces of a short list. `rows`: how many it will have at most, so that nothing jumps. */
export function SheetList<Item>(p: {
  query: ListQuery<Item>;
  what: string;
  rows: number;
  empty: ReactNode;
  children: (items: Item[]) => ReactNode;
}) {
  const items = p.query.data?.data;
  if (items) return items.length > 0 ? p.children(items) : p.empty;
  if (p.query.error)
    return (
      <ErrorNote error={p.query.error} what={`${p.what} could not be read`} retry={() => void p.query.refetch()} />
    );
  return (
    <div role="status" aria-label={`${p.what} are being read`} className="divide-y rounded-m border">
      {Array.from({ length: p.rows }, (_, row) => (
        <div key={row} className="flex h-9 items-center gap-3 border-line px-2.5">
          <span className="h-3 w-20 animate-pulse rounded-full bg-sunken" />
          <span className="h-2.5 flex-1 animate-pulse rounded-full bg-sunken" />
          <span className="h-2.5 w-12 animate-pulse rounded-full bg-sunken" />
        </div>
      ))}
    </div>
  );
}

/** Looks and place of an empty list: what to do about it. */
export function EmptyNote({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="rounded-m border border-dashed px-3 py-2.5">
      <p className="font-medium">{title}</p>
      <div className="mt-0.5 text-s text-ink-2">{children}</div>
    </div>
  );
}
