"use client";

import { CirclePause, LogIn, Radio, RotateCw } from "lucide-react";
import { useLiveness } from "../trpc/live.tsx";
import type { Liveness } from "../trpc/liveness.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import type { StatusFace } from "../ui/statuses.ts";

const faces: Record<Liveness, StatusFace & { hint: string }> = {
  live: { label: "live", icon: Radio, tone: "ok", hint: "Changes show at once." },
  connecting: { label: "connecting", icon: RotateCw, tone: "idle", hint: "Asking to be told of changes." },
  reconnecting: {
    label: "reconnecting",
    icon: RotateCw,
    tone: "wait",
    hint: "The service does not answer just now. What you see may be a moment old.",
  },
  "signed-out": {
    label: "signed out · sign in",
    icon: LogIn,
    tone: "bad",
    hint: "Your session was ended, your token was revoked or has expired, or you signed out elsewhere. What you see is from before; signing in leads back to it.",
  },
  paused: {
    label: "live paused",
    icon: CirclePause,
    tone: "bad",
    hint: "The service does not answer. What you see is from before; it is asked again every two seconds.",
  },
};

/** Whether this page is live, and which build of the project it shows. */
export function LivePill({ version }: { version: string }) {
  const liveness = useLiveness();
  const face = faces[liveness];
  const badge = (
    <StatusBadge face={face} label={liveness === "live" ? `live · v ${version.slice(0, 6)}` : face.label} />
  );
  return (
    <span role="status" className="flex" title={`${face.hint}\nBuild ${version}`}>
      {liveness === "signed-out" ? <a href="">{badge}</a> : badge}
    </span>
  );
}
