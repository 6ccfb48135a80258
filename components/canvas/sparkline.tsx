"use client";

import { CopyCurl } from "./copy-url.tsx";
import type { EndpointActivity } from "./model/answers.ts";
import { sparkBars } from "./model/spark-bars.ts";
import { formatCount, formatNumber } from "../../server/domain/format.ts";

const height = 26;

/**
 * The traffic of the time window as bars, rejected deliveries in red. An endpoint without deliveries offers a curl
 * command.
 */
export function Sparkline({
  activity,
  endpoint,
  trigger,
}: {
  activity: EndpointActivity | undefined;
  endpoint: string;
  trigger: string | undefined;
}) {
  if (!activity) return <div className="h-full" />;
  if (activity.lastAt === null) {
    return (
      <p className="flex h-full items-end gap-1.5 text-s text-ink-3">
        No deliveries yet. {trigger && <CopyCurl endpoint={endpoint} trigger={trigger.replace(/^trigger:/, "")} />}
      </p>
    );
  }
  const { accepted, skipped, rejected, repeated } = activity.outcomes;
  const total = accepted + skipped + rejected + repeated;
  if (total === 0) return <p className="flex h-full items-end text-s text-ink-3">No deliveries in this time window</p>;
  const bars = sparkBars(activity.buckets, height);
  const label = `${formatCount(total, "delivery", "deliveries")}, ${formatNumber(rejected)} rejected`;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${bars.width} ${height}`}
      preserveAspectRatio="none"
      className="h-full w-full"
    >
      <path d={bars.base} className="fill-line" />
      <path d={bars.good} className="fill-accent opacity-60" />
      <path d={bars.bad} className="fill-bad opacity-85" />
    </svg>
  );
}
