"use client";

import { Radio, RotateCw, Unplug } from "lucide-react";
import { useLiveness } from "../trpc/live.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import type { StatusFace } from "../ui/statuses.ts";

const faces: Record<ReturnType<typeof useLiveness>, StatusFace> = {
  live: { label: "live", icon: Radio, tone: "ok" },
  connecting: { label: "connecting", icon: RotateCw, tone: "idle" },
  lost: { label: "not live", icon: Unplug, tone: "bad" },
};

/** Whether this page is live, and which build of the project it shows. */
export function LivePill({ version }: { version: string }) {
  const face = faces[useLiveness()];
  return (
    <span title={`Build ${version}`}>
      <StatusBadge face={face} label={`${face.label} · v ${version.slice(0, 6)}`} />
    </span>
  );
}
