"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import type { Run, RunSummary, RunWait } from "../../../server/contract/run.ts";
import { formatNumber } from "../../../server/shared/format.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { StatusBadge } from "../../ui/badges.tsx";
import { runStatuses } from "../../ui/statuses.ts";
import { Elapsed, RelativeTime, UpcomingTime } from "../../ui/time.tsx";
import { Facts } from "../../ui/page-layout.tsx";
import { ShortId } from "../../ui/controls/copy-button.tsx";
import { AwaitedEvents } from "./awaited-events.tsx";
import { callsOnFailure, shownReplays, startedByLabels } from "../run-text.ts";

/** The source, target, times and replays of a run. */
export function RunFacts({ run }: { run: Run }) {
  return (
    <Facts
      facts={[
        ["started by", <StartedBy key="by" run={run} />],
        ["trigger", run.trigger && <NodeLink key="trigger" kind="trigger" slug={run.trigger} />],
        [run.target.kind, <NodeLink key="target" kind={run.target.kind} slug={run.target.slug} />],
        ["key", run.key === null ? null : <RunKey key="key" value={run.key} />],
        ["waits for", run.waitsFor ? <WaitsFor key="waits" wait={run.waitsFor} /> : null],
        ["version", <VersionLink key="version" version={run.version} />],
        ["created", <RelativeTime key="at" iso={run.createdAt} />],
        ["queued for", <Elapsed key="waited" from={run.createdAt} to={run.startedAt ?? run.finishedAt} />],
        ["duration", <Elapsed key="duration" from={run.startedAt} to={run.finishedAt} />],
        ["attempts", `${run.attempt} of ${run.maxAttempts}`],
        ["resumed", run.resumedAt && <RelativeTime key="resumed" iso={run.resumedAt} />],
        ["replayed as", <LedTo key="replays" of="replayOf" id={run.id} />],
        ["onFailure", callsOnFailure(run) ? <LedTo key="failure" of="failureOf" id={run.id} hasStatus /> : null],
      ]}
    />
  );
}

function NodeLink({ kind, slug }: { kind: string; slug: string }): ReactNode {
  return (
    <Link
      href={`/?node=${encodeURIComponent(`${kind}:${slug}`)}`}
      prefetch={false}
      className="text-accent hover:underline"
    >
      {slug}
    </Link>
  );
}

/** Leads to the runs that are about the same. */
function RunKey({ value }: { value: string }) {
  if (value === "") return <span className="font-normal text-ink-3">none: the webhook had no value for it</span>;
  return (
    <Link
      href={`/runs?key=${encodeURIComponent(value)}`}
      prefetch={false}
      title="Runs with this key"
      className="text-accent break-all hover:underline"
    >
      {value}
    </Link>
  );
}

/** Why the run does not start although it is due, or the event without which it does not continue. */
function WaitsFor({ wait }: { wait: RunWait }) {
  if (wait.kind === "event")
    return (
      <>
        <AwaitedEvents events={wait.events} /> <span className="font-normal text-ink-2">until</span>{" "}
        <UpcomingTime iso={wait.until} />
      </>
    );
  if (wait.kind === "concurrency")
    return (
      <span title="Runs that count towards the limit of concurrent runs, and the limit">
        concurrency {formatNumber(wait.counted)}/{formatNumber(wait.limit)}
      </span>
    );
  if (wait.kind === "child")
    return (
      <span className="flex flex-wrap gap-x-1">
        child <ShortId id={wait.runId} href={`/runs/${wait.runId}`} />
        {wait.count > 1 && `and ${formatNumber(wait.count - 1)} more`}
      </span>
    );
  return (
    <span className="flex flex-wrap gap-x-1">
      {wait.isBlocked ? "its key, blocked by the failed run" : "its key, behind"}
      {wait.runId === null ? "another run" : <ShortId id={wait.runId} href={`/runs/${wait.runId}`} />}
    </span>
  );
}

function VersionLink({ version }: { version: string }) {
  return (
    <Link
      href={`/runs?version=${encodeURIComponent(version)}`}
      prefetch={false}
      title={`Runs of ${version}`}
      className="font-mono hover:underline"
    >
      {version.slice(0, 8)}
    </Link>
  );
}

/** The runs that this run led to: its replays, or the run that executes its `onFailure`, with the status. */
function LedTo({ of, id, hasStatus = false }: { of: "replayOf" | "failureOf"; id: string; hasStatus?: boolean }) {
  const trpc = useTRPC();
  const found = useQuery(trpc.runs.list.queryOptions({ [of]: id, limit: shownReplays + 1 })).data?.data ?? [];
  if (found.length === 0) return <span className="font-normal text-ink-3">none</span>;
  return (
    <span className="flex flex-wrap gap-x-2">
      {found.slice(0, shownReplays).map((run) => (
        <span key={run.id} className="flex gap-x-1">
          <ShortId id={run.id} href={`/runs/${run.id}`} />
          {hasStatus && <StatusBadge status={runStatuses[run.status]} />}
        </span>
      ))}
      {found.length > shownReplays && (
        <Link href={`/runs?${of}=${encodeURIComponent(id)}`} prefetch={false} className="text-accent hover:underline">
          show all
        </Link>
      )}
    </span>
  );
}

/** The source of a run, with a link to it. */
function StartedBy({
  run,
}: {
  run: Pick<RunSummary, "startedBy" | "deliveryId" | "replayOf" | "failureOf" | "childOf">;
}) {
  const startedByRun = run.replayOf ?? run.failureOf ?? run.childOf;
  const source = startedByRun
    ? { id: startedByRun, href: `/runs/${startedByRun}` }
    : run.deliveryId
      ? { id: run.deliveryId, href: `/deliveries/${run.deliveryId}` }
      : null;
  return (
    <>
      {run.startedBy === "parent" ? "parent" : startedByLabels[run.startedBy]}
      {run.failureOf && " of"}
      {source && (
        <>
          {" "}
          <ShortId id={source.id} href={source.href} />
        </>
      )}
    </>
  );
}
