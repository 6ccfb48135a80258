"use client";

import { useNow } from "./use-now.ts";
import { formatDuration } from "../../server/domain/format.ts";

/** The duration from start to end. Without an end: the time elapsed so far. */
export function Elapsed({ from, to }: { from: string | null; to: string | null }) {
  const now = useNow();
  if (from === null) return <span className="text-ink-3">–</span>;
  const ms = (to === null ? Math.floor(now / 1000) * 1000 : Date.parse(to)) - Date.parse(from);
  return <span className="whitespace-nowrap tabular-nums">{formatDuration(ms)}</span>;
}
