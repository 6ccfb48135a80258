import type { StatusFace, Tone } from "./statuses.ts";

const tones: Record<Tone, string> = {
  ok: "text-ok bg-ok-soft",
  run: "text-run bg-run-soft",
  wait: "text-wait bg-wait-soft",
  bad: "text-bad bg-bad-soft",
  idle: "text-idle bg-idle-soft",
};

/** A status as a pill with icon, label and tone. */
export function StatusBadge({ face, label }: { face: StatusFace; label?: string }) {
  const Icon = face.icon;
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-full py-px pr-2 pl-1.5 text-xs font-[550] whitespace-nowrap ${tones[face.tone]}`}
    >
      <Icon aria-hidden size={12} strokeWidth={2.4} className={face.tone === "run" ? "animate-spin" : ""} />
      {label ?? face.label}
    </span>
  );
}
