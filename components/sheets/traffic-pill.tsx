"use client";

import { CircleCheck, CircleDashed } from "lucide-react";
import { StatusBadge } from "../ui/status-badge.tsx";
import type { Tone } from "../ui/statuses.ts";
import { relativeTime } from "../ui/time.ts";
import { useNow } from "../ui/use-now.ts";

/** How it does, in one line: `388 fired · last 12 s ago`. */
export function TrafficPill({ words, lastAt, tone }: { words: string | null; lastAt: string | null; tone?: Tone }) {
  const now = useNow();
  if (words === null) return <span className="block h-[18px] w-32 animate-pulse rounded-full bg-sunken" />;
  const isQuiet = lastAt === null;
  const label = isQuiet ? words : `${words} · last ${relativeTime(lastAt, now)}`;
  return <StatusBadge face={{ label, tone: tone ?? (isQuiet ? "idle" : "ok"), icon: isQuiet ? CircleDashed : CircleCheck }} />;
}
