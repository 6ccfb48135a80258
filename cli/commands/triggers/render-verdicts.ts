import type { Reason, Verdict } from "../../../server/contract/verdict.ts";
import type { Paint } from "../../terminal/paint.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderMark, verdictMarks } from "../../terminal/status-marks.ts";
import { renderTable } from "../../terminal/table.ts";

/** The verdict table, with the reasons below each trigger that did not match. */
export function renderVerdicts(verdicts: readonly Verdict[], paint: Paint): string {
  const rows = verdicts.flatMap((verdict) => [
    [
      renderMark(verdictMarks[verdict.outcome], paint),
      paint("strong", verdict.trigger),
      `${verdict.target.kind} ${verdict.target.slug}`,
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
