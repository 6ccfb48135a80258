"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { Eye, EyeOff } from "lucide-react";
import Link from "next/link";
import type { DeliverySummary } from "../../server/contract/delivery.ts";
import type { Page } from "../../server/contract/list.ts";
import type { Window } from "../../server/contract/traffic.ts";
import { formatNumber, windowNames } from "../../server/domain/format.ts";
import { useDisabledReason } from "../auth/access.tsx";
import { deliveriesHref } from "../canvas/model/evidence.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote, EmptyNote } from "../ui/states.tsx";
import type { Activity } from "./answers.ts";
import { ConditionList } from "./condition-list.tsx";
import { DeliveryRows } from "./delivery-rows.tsx";
import { FirstCurl } from "./first-curl.tsx";
import { SheetSection } from "./sheet-frame.tsx";
import { SheetLink } from "./sheet-link.tsx";
import { SheetList } from "./sheet-list.tsx";
import type { ListedTrigger } from "./triggers-of.ts";
import { verdictCountsOf } from "./use-activity.ts";
import type { EndpointKey } from "./use-endpoint-key.ts";

interface Shown {
  endpoint: string;
  url: string;
  needsKey: boolean;
  access: EndpointKey;
  triggers: readonly ListedTrigger[];
  activity: Activity | undefined;
  window: Window;
  recent: UseQueryResult<Page<DeliverySummary>, unknown>;
}

export function EndpointOverview({ p }: { p: Shown }) {
  const all = `/deliveries?endpoint=${encodeURIComponent(p.endpoint)}`;
  return (
    <>
      <SheetSection title="URL" note="POST, JSON">
        <EndpointUrl url={p.url} endpoint={p.endpoint} needsKey={p.needsKey} access={p.access} />
      </SheetSection>
      <SheetSection
        title={p.triggers.length === 1 ? "Trigger" : `${p.triggers.length} triggers, in evaluation order`}
        note={`in the last ${windowNames[p.window]}`}
      >
        <ol className="divide-y rounded-m border">
          {p.triggers.map((trigger) => (
            <TriggerLine key={trigger.slug} trigger={trigger} activity={p.activity} />
          ))}
        </ol>
        {p.triggers.length > 1 && (
          <p className="mt-1.5 text-s text-ink-3">
            Every body is evaluated against each trigger. All triggers that match fire.
          </p>
        )}
      </SheetSection>
      <SheetSection
        title="Recent deliveries"
        note={
          <Link href={all} className="text-accent hover:underline">
            All
          </Link>
        }
      >
        <SheetList query={p.recent} noun="deliveries" rows={6} empty={<NoDeliveries p={p} />}>
          {(deliveries) => <DeliveryRows deliveries={deliveries} label={`Recent deliveries to ${p.endpoint}`} />}
        </SheetList>
      </SheetSection>
    </>
  );
}

function NoDeliveries({ p }: { p: Shown }) {
  const slug = p.triggers[0]?.slug;
  return (
    <EmptyNote title="No deliveries yet">
      <p>Incoming webhooks appear here, including rejected ones with the reason. Send one:</p>
      {slug !== undefined && <FirstCurl slug={slug} url={p.url} needsKey={p.needsKey} />}
    </EmptyNote>
  );
}

function TriggerLine({ trigger, activity }: { trigger: ListedTrigger; activity: Activity | undefined }) {
  const counts = verdictCountsOf(
    activity,
    trigger.attachments.map(({ attachmentId }) => attachmentId),
  );
  return (
    <li className="grid gap-1 border-line px-3 py-2">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <SheetLink node={{ kind: "trigger", id: trigger.slug }} className="font-semibold break-all hover:underline">
          {trigger.slug}
        </SheetLink>
        <span className="min-w-0 text-s text-ink-3">
          →{" "}
          {trigger.attachments.map(({ target }, index) => (
            <span key={`${target.kind}:${target.slug}`}>
              {index > 0 && ", "}
              <SheetLink node={{ kind: target.kind, id: target.slug }} className="text-ink-2 hover:underline">
                {target.slug}
              </SheetLink>
            </span>
          ))}
        </span>
        {counts && (
          <Counts
            trigger={trigger}
            matched={counts.matched}
            stopped={counts.byRequest + counts.byFilter + counts.disabled}
            since={activity?.since}
          />
        )}
      </div>
      <ConditionList conditions={trigger.conditions} />
    </li>
  );
}

/** Each number links to the deliveries that it counts. */
function Counts({
  trigger: { slug, endpoint },
  matched,
  stopped,
  since,
}: {
  trigger: ListedTrigger;
  matched: number;
  stopped: number;
  since: string | undefined;
}) {
  const href = (verdict: "matched" | "stopped") => deliveriesHref({ endpoint, trigger: slug, verdict, since });
  return (
    <span className="ml-auto text-s whitespace-nowrap text-ink-3 tabular-nums">
      <Link href={href("matched")} className="font-medium text-ok hover:underline">
        {formatNumber(matched)} fired
      </Link>
      {" · "}
      <Link href={href("stopped")} className="hover:underline">
        {formatNumber(stopped)} stopped
      </Link>
    </span>
  );
}

/** The URL of an endpoint. In a deployment also the URL with its key, shown on demand. */
function EndpointUrl({
  url,
  endpoint,
  needsKey,
  access,
}: {
  url: string;
  endpoint: string;
  needsKey: boolean;
  access: EndpointKey;
}) {
  return (
    <div className="grid gap-2">
      <UrlLine label={`Copy the URL of ${endpoint}`} url={url} />
      {!needsKey && (
        <p className="text-s text-ink-3">
          In development, webhooks from this machine need no key. All other webhooks need one.
        </p>
      )}
      {needsKey && (
        <>
          {access.url === null ? (
            <MaskedUrl url={url} endpoint={endpoint} access={access} />
          ) : (
            <UrlLine label={`Copy the URL of ${endpoint} with its key`} url={access.url} />
          )}
          <div className="flex items-center justify-between gap-3">
            <p className="text-s text-ink-3">
              For senders that accept only a URL. Keep it secret: it contains the key.
            </p>
            {access.isShown && (
              <Button size="s" tone="quiet" icon={EyeOff} onClick={access.hide}>
                Hide the key
              </Button>
            )}
          </div>
          {access.error !== null && (
            <ErrorNote error={access.error} title="The key could not be loaded" retry={access.show} />
          )}
        </>
      )}
    </div>
  );
}

function UrlLine({ url, label }: { url: string; label: string }) {
  return (
    <div className="flex min-h-9 min-w-0 items-center gap-2 rounded-m border bg-sunken py-1 pr-1 pl-2.5">
      <code className="min-w-0 flex-1 text-s break-all select-all">{url}</code>
      <CopyButton text={url} label={label} />
    </div>
  );
}

function MaskedUrl({ url, endpoint, access }: { url: string; endpoint: string; access: EndpointKey }) {
  const disabledReason = useDisabledReason("operate");
  return (
    <div className="flex min-h-9 min-w-0 items-center gap-2 rounded-m border bg-sunken py-1 pr-1 pl-2.5">
      <code className="min-w-0 flex-1 text-s break-all text-ink-2">
        {url}?token=<span aria-label="hidden">••••••••</span>
      </code>
      <Button
        size="s"
        tone="quiet"
        icon={Eye}
        title={disabledReason}
        disabled={disabledReason !== undefined || access.isLoading}
        onClick={access.show}
      >
        Show the key
      </Button>
      {disabledReason === undefined ? (
        <CopyButton text={access.fetchUrl} label={`Copy the URL of ${endpoint} with its key`} />
      ) : (
        <CopyButton text={url} label={`Copy the URL of ${endpoint} without a key`} />
      )}
    </div>
  );
}
