"use client";

import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import Link from "next/link";
import type { DeliveryRow } from "../../../server/contract/delivery.ts";
import { mismatchOf } from "../../../server/contract/request-parts.ts";
import type { Page } from "../../../server/contract/list.ts";
import { hasTarget } from "../../../server/contract/project/target.ts";
import type { Window } from "../../../server/contract/traffic.ts";
import { partTitles } from "../../run-form/form/request-fields.tsx";
import { waitingForEventHref } from "../../runs/list/run-filters.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { RelativeTime } from "../../ui/time.tsx";
import { ShortId } from "../../ui/controls/copy-button.tsx";
import { ConditionList, FirstCurl, PromptTemplate, SchemaPart } from "../frame/sheet-content.tsx";
import { SheetFacts, SheetSection } from "../frame/sheet-frame.tsx";
import { EmptyNote } from "../../ui/states.tsx";
import { SheetLink } from "../frame/sheet-link.tsx";
import { TriggerSwitch } from "./trigger-switch.tsx";
import type { Evidence as Counts } from "../../graph/evidence.ts";
import type { TriggerNode } from "../../graph/canvas-model.ts";
import { matchedWord, onlyWakesRuns, wakesRunsText } from "../../graph/node-content.ts";
import { describeChallenges, describeDedupe, describeFields, describeKeys } from "./trigger-facts.ts";
import type { TriggerDetails } from "../sheet-data.ts";
import { formatCount, formatNumber, windowNames } from "../../../server/shared/format.ts";

interface TriggerOverviewProps {
  trigger: TriggerNode;
  details: TriggerDetails | undefined;
  counts: Counts | null;
  window: Window;
  /** The last matching delivery. */
  last: UseQueryResult<Page<DeliveryRow>, unknown>;
  url: string;
  needsKey: boolean;
}

const linkClass = "font-mono break-all text-accent hover:underline";

export function TriggerOverview({ trigger, details, counts, window, last, url, needsKey }: TriggerOverviewProps) {
  const isWaking = onlyWakesRuns(trigger);
  const waits = useWaits(trigger.slug);
  const attached = trigger.attachments.filter(hasTarget);
  const transforms = attached.filter(({ hasTransform }) => hasTransform).length;
  return (
    <>
      <SheetSection title="Status">
        <TriggerSwitch slug={trigger.slug} isWaking={isWaking} />
      </SheetSection>
      <SheetSection title="Deliveries" note={`in the last ${windowNames[window]}`}>
        <Evidence trigger={trigger} counts={counts} />
        {last.data?.data.length === 0 && (
          <div className="mt-2">
            <EmptyNote title="No matching deliveries yet">
              <p>This generated body matches its schemas:</p>
              <FirstCurl slug={trigger.slug} url={url} needsKey={needsKey} />
            </EmptyNote>
          </div>
        )}
      </SheetSection>
      <SheetSection title={isWaking ? "Matches when" : "Fires when"}>
        <ConditionList conditions={trigger.conditions} />
      </SheetSection>
      <SheetSection title="About">
        <SheetFacts
          facts={[
            [
              "endpoint",
              <SheetLink
                key="endpoint"
                node={{ kind: "endpoint", id: trigger.source.endpoint }}
                className={linkClass}
              >{`/triggers/${trigger.source.endpoint}`}</SheetLink>,
            ],
            ["starts", isWaking ? wakesRunsText : <Targets key="targets" trigger={trigger} />],
            [
              "waiting runs",
              isWaking || waits ? <WaitingRuns key="waiting" source={trigger.slug} waits={waits} /> : null,
            ],
            [
              "transform",
              isWaking
                ? null
                : transforms === 0
                  ? "none: the payload is the input"
                  : transforms === attached.length
                    ? "yes: builds the input from the payload"
                    : `for ${transforms} of ${attached.length} targets`,
            ],
            ["methods", details && details.methods.join() !== "POST" ? describeMethods(details.methods) : null],
            ["tests", details?.challenges.length ? describeChallenges(details.challenges) : null],
            ["signature", details?.verify ? `${details.verify}; invalid signatures are rejected` : null],
            ["deduplication", details?.dedupe ? describeDedupe(details.dedupe) : null],
            ["key of runs", details ? describeKeys(details.attachments) : null],
            [
              "rate limit",
              details?.rateLimit
                ? `${formatNumber(details.rateLimit.requests)} per ${details.rateLimit.per} across all keys`
                : null,
            ],
            ["file", <Files key="files" files={trigger.files} />],
            [`last ${matchedWord(trigger)}`, <LastFired key="last" last={last} />],
          ]}
        />
      </SheetSection>
      {trigger.fieldParts.map((part) => (
        <SchemaPart
          key={part}
          title={partTitles[part]}
          note={describeFields(details?.[part])}
          schema={details?.[part]}
        />
      ))}
      <SchemaPart title="Request" note="structure of the body" schema={details?.request} />
      <SchemaPart title="Filter" note={describeFields(details?.filter)} schema={details?.filter} />
    </>
  );
}

function describeMethods(methods: readonly string[]): string {
  return methods.includes("POST") ? "POST, or GET with the body as the query" : "GET: the query is the body";
}

function Evidence({ trigger, counts }: Pick<TriggerOverviewProps, "trigger" | "counts">) {
  const { slug, hasFilter, fieldParts: parts } = trigger;
  const stages = [
    { label: matchedWord(trigger), verdict: "matched", amount: counts?.passed, tone: "text-ok" },
    ...parts.map((part) => ({
      label: `stopped by ${part}`,
      verdict: mismatchOf[part],
      amount: counts?.[part],
      tone: "text-ink-2",
    })),
    { label: "stopped by request", verdict: "request_mismatch", amount: counts?.request, tone: "text-bad" },
    ...(hasFilter
      ? [{ label: "stopped by filter", verdict: "filter_mismatch", amount: counts?.filter, tone: "text-ink-2" }]
      : []),
  ];
  return (
    <ul className="flex overflow-hidden rounded-m border">
      {stages.map(({ label, verdict, amount, tone }) => (
        <li key={verdict} className="flex-1 border-l first:border-l-0">
          <Link
            href={`/deliveries?trigger=${encodeURIComponent(slug)}&verdict=${verdict}`}
            className="block px-3 py-2 -outline-offset-2 hover:bg-sunken"
          >
            <span className={`block text-l font-semibold tabular-nums ${amount ? tone : "text-ink-3"}`}>
              {amount === undefined ? "–" : formatNumber(amount)}
            </span>
            <span className="block text-s text-ink-2">{label}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const maxCounted = 20;

/** How many runs wait for an event of the source now: `3 runs`, `20 or more`; empty: none. */
function useWaits(source: string): string | undefined {
  const filter = { waitsForEvent: source, limit: maxCounted } as const;
  const page = useQuery(useTRPC().runs.list.queryOptions(filter)).data;
  if (!page) return undefined;
  const count = page.data.length;
  if (page.nextCursor !== null) return `${formatNumber(count)} or more`;
  return count === 0 ? "" : formatCount(count, "run");
}

function WaitingRuns({ source, waits }: { source: string; waits: string | undefined }) {
  if (!waits) return <span className="text-ink-3">{waits === undefined ? "–" : "none"}</span>;
  return (
    <Link href={waitingForEventHref(source)} prefetch={false} className="text-accent hover:underline">
      {waits}
    </Link>
  );
}

function LastFired({ last }: { last: TriggerOverviewProps["last"] }) {
  const delivery = last.data?.data[0];
  if (!delivery) return <span className="text-ink-3">{last.data ? "never" : "–"}</span>;
  return (
    <>
      <RelativeTime iso={delivery.receivedAt} />{" "}
      <ShortId id={delivery.id} href={`/deliveries/${encodeURIComponent(delivery.id)}`} />
    </>
  );
}

function Targets({ trigger }: { trigger: TriggerNode }) {
  return (
    <ul>
      {trigger.attachments.filter(hasTarget).map(({ attachmentId, target, prompt }) => (
        <li key={attachmentId}>
          {target.kind}{" "}
          <SheetLink node={{ kind: target.kind, id: target.slug }} className={linkClass}>
            {target.slug}
          </SheetLink>
          {prompt && <PromptTemplate prompt={prompt} />}
        </li>
      ))}
    </ul>
  );
}

function Files({ files }: { files: readonly string[] }) {
  return files.map((file) => (
    <code key={file} className="block break-all">
      {file}
    </code>
  ));
}
