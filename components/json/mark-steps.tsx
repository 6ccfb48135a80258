import { ArrowDown, ArrowUp } from "lucide-react";
import type { LineMark } from "./place-marks.ts";

/** The number of marks, the current mark, and buttons to the previous and next mark. */
export function MarkSteps({
  steps,
  current,
  step,
}: {
  steps: readonly LineMark[];
  current: number;
  step(distance: 1 | -1): void;
}) {
  const at = steps.findIndex(({ line }) => line === current);
  const face =
    "inline-flex h-6 w-6 cursor-pointer items-center justify-center rounded-m hover:bg-sunken hover:text-ink";
  return (
    <div className="flex h-8 items-center gap-1 border-b px-3 text-s text-ink-3">
      <span className="mr-auto tabular-nums">
        {at < 0 ? `${steps.length} ${steps.length === 1 ? "mark" : "marks"}` : `Mark ${at + 1} of ${steps.length}`}
      </span>
      <button
        type="button"
        title="Previous mark (p)"
        aria-label="Previous mark"
        onClick={() => step(-1)}
        className={face}
      >
        <ArrowUp aria-hidden size={14} />
      </button>
      <button type="button" title="Next mark (n)" aria-label="Next mark" onClick={() => step(1)} className={face}>
        <ArrowDown aria-hidden size={14} />
      </button>
    </div>
  );
}
