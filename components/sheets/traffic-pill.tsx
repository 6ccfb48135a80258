"use client";

import type { Health } from "../../server/contract/traffic.ts";
import { StatusBadge } from "../ui/badges.tsx";
import { approvalStatus, healths } from "../ui/statuses.ts";
import { useNow } from "../ui/time.tsx";
import { formatRelativeTime } from "../../server/domain/format.ts";

interface Props {
  /** `null`: not loaded yet. */
  summary: string | null;
  lastAt: string | null;
  health: Health;
  /** The word for a failure: `failed`, `rejected`. */
  failureWord?: string;
  waitingForApproval?: number;
}

/** The status in one line: `388 fired · last 12 s ago`, `12 runs · most failed · last 3 min ago`. */
export function TrafficPill({ summary, lastAt, health, failureWord = "failed", waitingForApproval = 0 }: Props) {
  const now = useNow();
  if (summary === null) return <span className="block h-[18px] w-32 animate-pulse rounded-full bg-sunken" />;
  const faults = healths[health].label;
  const waiting =
    waitingForApproval > 0 ? `${waitingForApproval} ${waitingForApproval === 1 ? "waits" : "wait"} for approval` : null;
  const parts = [
    summary,
    waiting ?? (faults && `${faults} ${failureWord}`),
    lastAt && `last ${formatRelativeTime(lastAt, now)}`,
  ];
  return <StatusBadge status={waiting ? approvalStatus : healths[health]} label={parts.filter(Boolean).join(" · ")} />;
}
