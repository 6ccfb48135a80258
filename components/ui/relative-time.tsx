"use client";

import { exactLocal, exactUtc, relativeTime } from "./time.ts";
import { useIsHydrated, useNow } from "./use-now.ts";

/** How long ago; the exact UTC and local time on hover. */
export function RelativeTime({ iso }: { iso: string }) {
  const now = useNow();
  const isHydrated = useIsHydrated();
  const exact = isHydrated ? `${exactUtc(iso)}\n${exactLocal(iso)}` : exactUtc(iso);
  return (
    <time dateTime={iso} title={exact} className="whitespace-nowrap tabular-nums">
      {relativeTime(iso, now)}
    </time>
  );
}
