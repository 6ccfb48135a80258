import type { RunStatus } from "../../server/contract/run.ts";
import type { VerdictOutcome } from "../../server/contract/verdict.ts";
import type { Paint, Tone } from "./paint.ts";

interface Mark {
  mark: string;
  label: string;
  tone: Tone;
}

/** Marks differ in shape as well as in colour. */
export const runMarks: Record<RunStatus, Mark> = {
  queued: { mark: "○", label: "queued", tone: "dim" },
  running: { mark: "▶", label: "running", tone: "busy" },
  waiting: { mark: "◔", label: "waiting", tone: "busy" },
  completed: { mark: "✓", label: "completed", tone: "good" },
  failed: { mark: "✗", label: "failed", tone: "bad" },
  canceled: { mark: "⊘", label: "canceled", tone: "warn" },
  timed_out: { mark: "⧖", label: "timed out", tone: "bad" },
};

export const verdictMarks: Record<VerdictOutcome, Mark> = {
  matched: { mark: "✓", label: "matched", tone: "good" },
  request_mismatch: { mark: "✗", label: "request mismatch", tone: "bad" },
  filter_mismatch: { mark: "◇", label: "filter mismatch", tone: "warn" },
  disabled: { mark: "–", label: "disabled", tone: "dim" },
};

export function renderMark({ mark, label, tone }: Mark, paint: Paint): string {
  return `${paint(tone, mark)} ${label}`;
}
