import type { RunStatus } from "../../server/contract/run.ts";
import type { DeliveryOutcome, Reason, Verdict, VerdictOutcome } from "../../server/contract/delivery.ts";
import { plainLine } from "./plain-text.ts";
import { renderTable } from "./table.ts";
import type { Paint, Tone } from "./terminal.ts";

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

export const deliveryMarks: Record<DeliveryOutcome, Mark> = {
  accepted: { mark: "✓", label: "accepted", tone: "good" },
  skipped: { mark: "–", label: "skipped", tone: "dim" },
  rejected: { mark: "✗", label: "rejected", tone: "bad" },
  repeated: { mark: "↻", label: "repeated", tone: "warn" },
  held: { mark: "◫", label: "held", tone: "busy" },
};

export const verdictMarks: Record<VerdictOutcome, Mark> = {
  matched: { mark: "✓", label: "matched", tone: "good" },
  request_mismatch: { mark: "✗", label: "request mismatch", tone: "bad" },
  headers_mismatch: { mark: "△", label: "headers mismatch", tone: "warn" },
  query_mismatch: { mark: "▽", label: "query mismatch", tone: "warn" },
  filter_mismatch: { mark: "◇", label: "filter mismatch", tone: "warn" },
  disabled: { mark: "–", label: "disabled", tone: "dim" },
};

export function renderMark({ mark, label, tone }: Mark, paint: Paint): string {
  return `${paint(tone, mark)} ${label}`;
}

/** The verdict table, with the reasons below each trigger that did not match. */
export function renderVerdicts(verdicts: readonly Verdict[], paint: Paint): string {
  const rows = verdicts.flatMap((verdict) => [
    [
      renderMark(verdictMarks[verdict.outcome], paint),
      paint("strong", verdict.trigger),
      verdict.target ? `${verdict.target.kind} ${verdict.target.slug}` : paint("dim", "starts no run"),
    ],
  ]);
  const [headings = "", ...lines] = renderTable({ headings: ["VERDICT", "TRIGGER", "TARGET"], rows, paint }).split(
    "\n",
  );
  const blocks = verdicts.map(({ reasons }, index) =>
    [lines[index] ?? "", ...reasons.map((reason) => `    ${renderReason(reason, paint)}`)].join("\n"),
  );
  return `${[headings, ...blocks].join("\n")}\n`;
}

/** One line, e.g. `/amount: expected >= 1000, got 12`. */
export function renderReason({ pointer, code, message, expected, actual }: Reason, paint: Paint): string {
  // The reason concerns the trigger, not the body.
  if (code === "disabled") return plainLine(message);
  const where = paint("strong", plainLine(pointer || "the body"));
  if (expected === null) return `${where}: ${plainLine(message)}`;
  return `${where}: expected ${plainLine(expected, 80)}${actual === null ? "" : `, got ${plainLine(actual, 80)}`}`;
}
