"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { Window } from "../../../server/contract/traffic.ts";
import { formatCount, formatDuration, formatNumber, formatShare, windowNames } from "../../../server/shared/format.ts";
import { RunBadge } from "../../runs/run-badge.tsx";
import { waitingHref } from "../../runs/list/run-filters.ts";
import { formatRunsUsage } from "../../runs/run-text.ts";
import { Skeleton } from "../../ui/states.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { ShortId } from "../../ui/controls/copy-button.tsx";
import { RelativeTime, useNow } from "../../ui/time.tsx";
import { AgentSections } from "./agent-sections.tsx";
import type { TargetActivity } from "../../graph/canvas-model.ts";
import { TryLimits } from "./try-limits.tsx";
import type { TargetDetails } from "../sheet-data.ts";
import { PromptTemplate, SchemaPart } from "../frame/sheet-content.tsx";
import { SheetFacts, SheetSection } from "../frame/sheet-frame.tsx";
import { SheetLink } from "../frame/sheet-link.tsx";

const windows = [
  { window: "24h", hours: 24 },
  { window: "7d", hours: 7 * 24 },
] as const;

const minuteMs = 60_000;

export function TargetOverview({
  details,
  activity,
  window,
}: {
  details: TargetDetails | undefined;
  activity: TargetActivity | undefined;
  window: Window;
}) {
  return (
    <>
      <SheetSection title="Runs" note={`in the last ${windowNames[window]}`}>
        <Numbers activity={activity} />
      </SheetSection>
      {details?.agent && <AgentSpend agent={details.slug} />}
      <SheetSection title="About">
        {details ? (
          <SheetFacts
            facts={[
              ["started by", <Starters key="by" attachments={details.attachments} />],
              ...details.limits,
              [
                "file",
                <code key="file" className="break-all">
                  {details.file}
                </code>,
              ],
              [
                "approvals",
                activity && activity.waitingForApproval > 0 ? (
                  <Waiting key="waiting" slug={details.slug} runs={activity.waitingForApproval} />
                ) : null,
              ],
              ["last run", <LastRun key="last" activity={activity} />],
            ]}
          />
        ) : (
          <Skeleton className="h-32 rounded-m" />
        )}
      </SheetSection>
      {details?.agent && <AgentSections agent={details.agent} hasModelBeyondBuild={activity?.hasModelBeyondBuild} />}
      {details && <TryLimits key={`${details.kind}:${details.slug}`} target={details} />}
      {details && !details.agent && <SchemaPart title="Input" schema={details.input} />}
      {details && <SchemaPart title="Output" schema={details.output} />}
    </>
  );
}

function Numbers({ activity }: { activity: TargetActivity | undefined }) {
  const ended = activity ? activity.completed + activity.failed : 0;
  const hasFailed = activity !== undefined && activity.failed > 0;
  const numbers = [
    {
      label: "succeeded",
      value: activity ? formatShare(activity.completed, ended) : "–",
      tone: ended === 0 ? "text-ink-3" : hasFailed ? "text-bad" : "text-ok",
    },
    {
      label: "p50",
      value: typeof activity?.p50Ms === "number" ? formatDuration(activity.p50Ms) : "–",
      tone: "text-ink",
    },
    {
      label: "failed",
      value: activity ? formatNumber(activity.failed) : "–",
      tone: hasFailed ? "text-bad" : "text-ink-3",
    },
    {
      label: "active",
      value: activity ? formatNumber(activity.open) : "–",
      tone: activity?.open ? "text-run" : "text-ink-3",
    },
  ];
  return (
    <dl className="flex overflow-hidden rounded-m border">
      {numbers.map(({ label, value, tone }) => (
        <div key={label} className="flex flex-1 flex-col-reverse justify-end border-l px-3 py-2 first:border-l-0">
          <dt className="text-s text-ink-2">{label}</dt>
          <dd className={`text-l font-semibold whitespace-nowrap tabular-nums ${tone}`}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Starters({ attachments }: { attachments: TargetDetails["attachments"] }) {
  if (attachments.length === 0) return <span className="text-ink-2">no trigger: only manual, API and CLI runs</span>;
  return (
    <ul>
      {attachments.map(({ attachmentId, trigger, endpoint, prompt }) => (
        <li key={attachmentId}>
          <SheetLink
            node={{ kind: "trigger", id: trigger }}
            className="font-mono break-all text-accent hover:underline"
          >
            {trigger}
          </SheetLink>{" "}
          <span className="text-s text-ink-3">on {endpoint}</span>
          {prompt && <PromptTemplate prompt={prompt} />}
        </li>
      ))}
    </ul>
  );
}

function Waiting({ slug, runs }: { slug: string; runs: number }) {
  return (
    <Link href={waitingHref(slug)} prefetch={false} className="text-wait hover:underline">
      {formatCount(runs, "run waits", "runs wait")} for approval
    </Link>
  );
}

function LastRun({ activity }: { activity: TargetActivity | undefined }) {
  const run = activity?.lastRun;
  if (!run) return <span className="text-ink-3">{activity ? "never" : "–"}</span>;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <RunBadge run={run} />
      <RelativeTime iso={run.createdAt} />
      <ShortId id={run.id} href={`/runs/${encodeURIComponent(run.id)}`} />
    </span>
  );
}

/** Recent token usage and cost of an agent's runs. */
function AgentSpend({ agent }: { agent: string }) {
  return (
    <SheetSection title="Tokens and cost">
      <ul className="grid gap-1">
        {windows.map(({ window, hours }) => (
          <SpendLine key={window} agent={agent} window={window} hours={hours} />
        ))}
      </ul>
    </SheetSection>
  );
}

function SpendLine({
  agent,
  window,
  hours,
}: {
  agent: string;
  window: (typeof windows)[number]["window"];
  hours: number;
}) {
  const trpc = useTRPC();
  // Rounded to five minutes, so that the query key stays the same.
  const until = Math.floor(useNow() / (5 * minuteMs)) * 5 * minuteMs;
  const since = new Date(until - hours * 60 * minuteMs).toISOString();
  const usage = useQuery(
    trpc.runs.usage.queryOptions({ target: agent, targetKind: "agent", since }, { placeholderData: keepPreviousData }),
  ).data;
  return (
    <li className="flex min-h-5 flex-wrap items-baseline gap-x-2 tabular-nums">
      <Link href={`/runs?${new URLSearchParams({ target: agent, since: window })}`} className="hover:underline">
        {usage ? formatRunsUsage(usage) : "–"}
      </Link>
      <span className="text-s text-ink-3">in the last {windowNames[window]}</span>
    </li>
  );
}
