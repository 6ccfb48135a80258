import { ArrowDown, ArrowUp } from "lucide-react";
import type { PlacedMark } from "./place-marks.ts";

/** How many places are marked, which one is looked at, and the way to the others. */
export function MarkSteps({
  steps,
  current,
  step,
}: {
  steps: readonly PlacedMark[];
  current: number;
  step(distance: 1 | -1): void;
}) {
  const at = steps.findIndex(({ line }) => line === current);
  const face =
    "inline-flex h-6 w-6 cursor-pointer items-center justify-center rounded-m hover:bg-sunken hover:text-ink";
  return (
    <div className="flex h-8 items-center gap-1 border-b px-3 text-s text-ink-3">
      <span className="mr-auto tabular-nums">
        {at < 0
          ? `${steps.length} ${steps.length === 1 ? "place" : "places"} marked`
          : `Place ${at + 1} of ${steps.length}`}
      </span>
      <button
        type="button"
        title="Previous place (p)"
        aria-label="Previous place"
        onClick={() => step(-1)}
        className={face}
      >
        <ArrowUp aria-hidden size={14} />
      </button>
      <button type="button" title="Next place (n)" aria-label="Next place" onClick={() => step(1)} className={face}>
        <ArrowDown aria-hidden size={14} />
      </button>
    </div>
  );
}
