"use client";

import Link from "next/link";
import type { DeliverySummary } from "../../server/contract/delivery.ts";
import { visibleText } from "../../server/domain/schema/visible-text.ts";
import { decisionOf } from "../deliveries/decision-of.ts";
import { sayReason } from "../deliveries/say-reason.ts";
import { RelativeTime } from "../ui/time.tsx";
import { StatusBadge } from "../ui/badges.tsx";
import { deliveryOutcomes, verdictOutcomes } from "../ui/statuses.ts";

/** A compact list of deliveries: outcome, summary, time. With `trigger`: its verdict and the first reason. */
export function DeliveryRows({
  deliveries,
  trigger,
  label,
}: {
  deliveries: readonly DeliverySummary[];
  trigger?: string;
  label: string;
}) {
  return (
    <ul aria-label={label} className="divide-y overflow-hidden rounded-m border">
      {deliveries.map((delivery) => {
        const row = trigger === undefined ? ofDelivery(delivery) : ofTrigger(delivery, trigger);
        return (
          <li key={delivery.id} className="border-line">
            <Link
              href={`/deliveries/${encodeURIComponent(delivery.id)}`}
              prefetch={false}
              title={delivery.id}
              className="grid min-h-9 grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-2.5 px-2.5 py-1.5 -outline-offset-2 hover:bg-sunken"
            >
              <StatusBadge status={row.face} label={row.label} />
              <span className="truncate text-s text-ink-2">{visibleText(row.summary, 200)}</span>
              <span className="text-s text-ink-3">
                <RelativeTime iso={delivery.receivedAt} />
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function ofDelivery(delivery: DeliverySummary) {
  const face = deliveryOutcomes[delivery.outcome];
  return { face, label: `${delivery.responseStatus} ${face.label}`, summary: decisionOf(delivery) };
}

function ofTrigger(delivery: DeliverySummary, trigger: string) {
  const verdict = delivery.verdicts.find((one) => one.trigger === trigger);
  if (!verdict) return ofDelivery(delivery);
  const [reason] = verdict.reasons;
  const summary = reason ? sayReason(reason) : verdict.runId ? `started ${verdict.target.slug}` : "";
  return { face: verdictOutcomes[verdict.outcome], label: verdictOutcomes[verdict.outcome].label, summary };
}
