import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../../server/trpc/router.ts";
import { deliveryOutcomes, type StatusStyle, verdictOutcomes } from "../../ui/statuses.ts";

type Answer = inferRouterOutputs<AppRouter>["deliveries"]["histogram"];

/** The counts of each bucket. */
export type Counts = Pick<Answer, "kinds" | "buckets">;
export type Kind = Answer["kinds"][number];

const faces: Record<Kind, StatusStyle> = { ...deliveryOutcomes, ...verdictOutcomes };
const tones: Record<StatusStyle["tone"], { text: string; fill: string }> = {
  ok: { text: "text-ok", fill: "fill-ok" },
  run: { text: "text-run", fill: "fill-run" },
  wait: { text: "text-wait", fill: "fill-wait" },
  bad: { text: "text-bad", fill: "fill-bad" },
  idle: { text: "text-idle", fill: "fill-idle" },
};

export const faceOf = (kind: Kind): StatusStyle => faces[kind];
export const toneOf = (kind: Kind): { text: string; fill: string } => tones[faces[kind].tone];

/** Of a plot of 100; a lower bar would be invisible. */
export const minBarHeight = 5;
const maxBarHeight = 96;

interface Bar {
  kind: Kind;
  /** From the top of the plot. */
  y: number;
  height: number;
}

/**
 * The stacked bars of a bucket. `top` is the count of the highest bucket. Every bar has a minimum height, which is
 * taken from the largest bar.
 */
export function barsOf({
  kinds,
  counts,
  top,
}: {
  kinds: readonly Kind[];
  counts: Counts["buckets"][number]["counts"];
  top: number;
}): Bar[] {
  const bars = kinds.flatMap((kind) =>
    counts[kind] ? [{ kind, height: Math.max(minBarHeight, (counts[kind] / top) * maxBarHeight) }] : [],
  );
  const excess = bars.reduce((sum, { height }) => sum + height, 0) - maxBarHeight;
  const largest = bars.reduce<(typeof bars)[number] | undefined>(
    (most, bar) => (most && most.height >= bar.height ? most : bar),
    undefined,
  );
  if (largest && excess > 0) largest.height -= excess;
  let y = 100;
  return bars.map(({ kind, height }) => ({ kind, height, y: (y -= height) }));
}
