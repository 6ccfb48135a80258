"use client";

import type { Health } from "../../server/contract/health.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import { approvalFace, healths } from "../ui/statuses.ts";
import { useNow } from "../ui/use-now.ts";
import { formatRelativeTime } from "../../server/domain/format.ts";

interface Props {
  /** `null`: not loaded yet. */
  words: string | null;
  lastAt: string | null;
  health: Health;
  /** The word for a failure: `failed`, `rejected`. */
  fault?: string;
  waitingForApproval?: number;
}

/** The status in one line: `388 fired · last 12 s ago`, `12 runs · most failed · last 3 min ago`. */
export function TrafficPill({ words, lastAt, health, fault = "failed", waitingForApproval = 0 }: Props) {
  const now = useNow();
  if (words === null) return <span className="block h-[18px] w-32 animate-pulse rounded-full bg-sunken" />;
  const faults = healths[health].label;
  const waiting =
    waitingForApproval > 0 ? `${waitingForApproval} ${waitingForApproval === 1 ? "waits" : "wait"} for approval` : null;
  const parts = [
    words,
    waiting ?? (faults && `${faults} ${fault}`),
    lastAt && `last ${formatRelativeTime(lastAt, now)}`,
  ];
  return <StatusBadge face={waiting ? approvalFace : healths[health]} label={parts.filter(Boolean).join(" · ")} />;
}
