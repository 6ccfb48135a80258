"use client";

import { useIsHydrated, useNow } from "./use-now.ts";
import { formatLocal, formatRelativeTime, formatUtc } from "../../server/domain/format.ts";

/** A relative time, with the exact UTC and local time on hover. */
export function RelativeTime({ iso }: { iso: string }) {
  const now = useNow();
  const isHydrated = useIsHydrated();
  const exact = isHydrated ? `${formatUtc(iso)}\n${formatLocal(iso)}` : formatUtc(iso);
  return (
    <time dateTime={iso} title={exact} className="whitespace-nowrap tabular-nums">
      {formatRelativeTime(iso, now)}
    </time>
  );
}
