"use client";

import { Ban, Check } from "lucide-react";
import Link from "next/link";
import { useCanvas } from "../use-canvas.ts";
import type { GraphSource } from "../../graph/canvas-model.ts";
import { deliveriesHref, type Evidence, stoppedCount, describeStopped } from "../../graph/evidence.ts";
import { formatNumber } from "../../../server/shared/format.ts";

/** `388 · 22`: passed and stopped deliveries. Each number links to exactly those deliveries. */
export function EvidenceChip({
  evidence,
  source,
  trigger,
}: {
  evidence: Evidence;
  source: GraphSource;
  trigger: string | null;
}) {
  const since = useCanvas(({ traffic }) => traffic.since() ?? undefined);
  const stopped = stoppedCount(evidence);
  // The deliveries page cannot filter by several triggers.
  const hrefOf = (verdict: "matched" | "stopped") =>
    trigger && deliveriesHref({ endpoint: source.endpoint, trigger, verdict, since });
  if (evidence.passed === 0 && stopped === 0) return null;
  return (
    <span className="flex h-5 items-center rounded-full border bg-raised px-1 text-xs font-semibold whitespace-nowrap text-ink-3 tabular-nums">
      {evidence.passed > 0 && (
        <Count
          count={evidence.passed}
          title={`${formatNumber(evidence.passed)} passed`}
          name={`${formatNumber(evidence.passed)} passed`}
          tone="text-ok"
          icon={Check}
          href={hrefOf("matched")}
        />
      )}
      {evidence.passed > 0 && stopped > 0 && <span aria-hidden>·</span>}
      {stopped > 0 && (
        <Count
          count={stopped}
          title={describeStopped(evidence)}
          name={`${formatNumber(stopped)} stopped: ${describeStopped(evidence)}`}
          tone={evidence.request > evidence.filter + evidence.headers ? "text-bad" : "text-ink-2"}
          icon={Ban}
          href={hrefOf("stopped")}
        />
      )}
    </span>
  );
}

function Count({
  count,
  title,
  name,
  tone,
  icon: Icon,
  href,
}: {
  count: number;
  title: string;
  name: string;
  tone: string;
  icon: typeof Check;
  href: string | null;
}) {
  const content = (
    <>
      <Icon aria-hidden size={10} strokeWidth={3} />
      {formatNumber(count)}
    </>
  );
  const className = `flex h-full items-center gap-0.5 rounded-full px-1 ${tone}`;
  if (href === null) {
    return (
      <span title={title} className={className}>
        {content}
      </span>
    );
  }
  return (
    <Link
      href={href}
      prefetch={false}
      draggable={false}
      title={title}
      aria-label={name}
      className={`nodrag ${className} hover:underline`}
    >
      {content}
    </Link>
  );
}
