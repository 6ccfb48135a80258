"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import Link from "next/link";
import type { DeliveryRow } from "../../../server/contract/delivery.ts";
import type { Page } from "../../../server/contract/list.ts";
import { hasTarget } from "../../../server/contract/project/target.ts";
import type { Window } from "../../../server/contract/traffic.ts";
import { formatMethods, formatNumber, windowNames } from "../../../server/shared/format.ts";
import { deliveriesHref, stoppedCount } from "../../graph/evidence.ts";
import { matchedWord, onlyWakesRuns } from "../../graph/node-content.ts";
import { ConditionList, DeliveryRows, FirstCurl } from "../frame/sheet-content.tsx";
import { SheetSection } from "../frame/sheet-frame.tsx";
import { SheetLink } from "../frame/sheet-link.tsx";
import { EmptyNote } from "../../ui/states.tsx";
import { SheetList } from "../frame/sheet-list.tsx";
import { evidenceIn } from "../trigger/trigger-facts.ts";
import type { Activity, TriggerNode } from "../../graph/canvas-model.ts";
import { EndpointDrift } from "./endpoint-drift.tsx";
import { type EndpointKey, EndpointUrl } from "./endpoint-key.tsx";

interface EndpointOverviewProps {
  endpoint: string;
  url: string;
  needsKey: boolean;
  access: EndpointKey;
  triggers: readonly TriggerNode[];
  activity: Activity | undefined;
  window: Window;
  recent: UseQueryResult<Page<DeliveryRow>, unknown>;
}

export function EndpointOverview(props: EndpointOverviewProps) {
  const { endpoint, url, needsKey, access, triggers, activity, window, recent } = props;
  const all = `/deliveries?endpoint=${encodeURIComponent(endpoint)}`;
  const held = activity?.endpoints.find((one) => one.endpoint === endpoint)?.outcomes.held ?? 0;
  return (
    <>
      <SheetSection title="URL" note={formatMethods(triggers[0]?.source.methods ?? [])}>
        <EndpointUrl url={url} endpoint={endpoint} needsKey={needsKey} access={access} />
      </SheetSection>
      <SheetSection
        title={triggers.length === 1 ? "Trigger" : `${triggers.length} triggers, in evaluation order`}
        note={`in the last ${windowNames[window]}`}
      >
        <ol className="divide-y rounded-m border">
          {triggers.map((trigger) => (
            <TriggerLine key={trigger.slug} trigger={trigger} activity={activity} />
          ))}
        </ol>
        {triggers.length > 1 && (
          <p className="mt-1.5 text-s text-ink-3">
            Every body is evaluated against each trigger. All triggers that match fire.
          </p>
        )}
      </SheetSection>
      <EndpointDrift endpoint={endpoint} />
      <SheetSection
        title="Recent deliveries"
        note={
          <span className="inline-flex gap-x-3">
            {held > 0 && (
              <Link href={`${all}&outcome=held`} className="text-accent hover:underline">
                {formatNumber(held)} held
              </Link>
            )}
            <Link href={all} className="text-accent hover:underline">
              All
            </Link>
          </span>
        }
      >
        <SheetList query={recent} noun="deliveries" rows={6} empty={<NoDeliveries {...props} />}>
          {(deliveries) => <DeliveryRows deliveries={deliveries} label={`Recent deliveries to ${endpoint}`} />}
        </SheetList>
      </SheetSection>
    </>
  );
}

function NoDeliveries({ triggers, url, needsKey }: EndpointOverviewProps) {
  const slug = triggers[0]?.slug;
  return (
    <EmptyNote title="No deliveries yet">
      <p>Incoming webhooks appear here, including rejected ones with the reason. Send one:</p>
      {slug !== undefined && <FirstCurl slug={slug} url={url} needsKey={needsKey} />}
    </EmptyNote>
  );
}

function TriggerLine({ trigger, activity }: { trigger: TriggerNode; activity: Activity | undefined }) {
  const counts = evidenceIn(activity, trigger.attachmentIds);
  return (
    <li className="grid gap-1 border-line px-3 py-2">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <SheetLink node={{ kind: "trigger", id: trigger.slug }} className="font-semibold break-all hover:underline">
          {trigger.slug}
        </SheetLink>
        <span className="min-w-0 text-s text-ink-3">
          {onlyWakesRuns(trigger) ? "wakes runs" : "→ "}
          {trigger.attachments.filter(hasTarget).map(({ target }, index) => (
            <span key={`${target.kind}:${target.slug}`}>
              {index > 0 && ", "}
              <SheetLink node={{ kind: target.kind, id: target.slug }} className="text-ink-2 hover:underline">
                {target.slug}
              </SheetLink>
            </span>
          ))}
        </span>
        {counts && (
          <Counts trigger={trigger} matched={counts.passed} stopped={stoppedCount(counts)} since={activity?.since} />
        )}
      </div>
      <ConditionList conditions={trigger.conditions} />
    </li>
  );
}

/** Each number links to the deliveries that it counts. */
function Counts({
  trigger,
  matched,
  stopped,
  since,
}: {
  trigger: TriggerNode;
  matched: number;
  stopped: number;
  since: string | undefined;
}) {
  const { slug, source } = trigger;
  const href = (verdict: "matched" | "stopped") =>
    deliveriesHref({ endpoint: source.endpoint, trigger: slug, verdict, since });
  return (
    <span className="ml-auto text-s whitespace-nowrap text-ink-3 tabular-nums">
      <Link href={href("matched")} className="font-medium text-ok hover:underline">
        {formatNumber(matched)} {matchedWord(trigger)}
      </Link>
      {" · "}
      <Link href={href("stopped")} className="hover:underline">
        {formatNumber(stopped)} stopped
      </Link>
    </span>
  );
}
