"use client";

import { CirclePause, LogIn, Radio, RotateCw } from "lucide-react";
import { useLiveness } from "../trpc/live.tsx";
import type { Liveness } from "../trpc/liveness.ts";
import { StatusBadge } from "../ui/badges.tsx";
import type { StatusStyle } from "../ui/statuses.ts";

const faces: Record<Liveness, StatusStyle & { hint: string }> = {
  live: { label: "live", icon: Radio, tone: "ok", hint: "This page updates live." },
  connecting: { label: "connecting", icon: RotateCw, tone: "idle", hint: "Connecting to the live updates." },
  reconnecting: {
    label: "reconnecting",
    icon: RotateCw,
    tone: "wait",
    hint: "The service is not responding. The data may be a moment old.",
  },
  "signed-out": {
    label: "signed out · sign in",
    icon: LogIn,
    tone: "bad",
    hint: "Your session ended, your token expired or was revoked, or you signed out elsewhere. The page shows older data. Sign in to return to it.",
  },
  paused: {
    label: "live paused",
    icon: CirclePause,
    tone: "bad",
    hint: "The service is not responding. The page shows older data and retries every 2 seconds.",
  },
};

/** The state of live updates, and the build that the page shows. */
export function LivePill({ version }: { version: string }) {
  const liveness = useLiveness();
  const face = faces[liveness];
  const badge = (
    <StatusBadge status={face} label={liveness === "live" ? `live · v ${version.slice(0, 6)}` : face.label} />
  );
  return (
    <span role="status" className="flex" title={`${face.hint}\nBuild ${version}`}>
      {liveness === "signed-out" ? <a href="">{badge}</a> : badge}
    </span>
  );
}
