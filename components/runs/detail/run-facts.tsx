"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import type { Run, RunSummary } from "../../../server/contract/run.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { StatusBadge } from "../../ui/badges.tsx";
import { runStatuses } from "../../ui/statuses.ts";
import { Elapsed, RelativeTime } from "../../ui/time.tsx";
import { Facts } from "../../ui/page-layout.tsx";
import { ShortId } from "../../ui/controls/copy-button.tsx";
import { shownReplays, startedByLabels } from "../run-text.ts";

/** The source, target, times and replays of a run. */
export function RunFacts({ run }: { run: Run }) {
  return (
    <Facts
      facts={[
        ["started by", <StartedBy key="by" run={run} />],
        ["trigger", run.trigger && <NodeLink key="trigger" kind="trigger" slug={run.trigger} />],
        [run.target.kind, <NodeLink key="target" kind={run.target.kind} slug={run.target.slug} />],
        ["version", <VersionLink key="version" version={run.version} />],
        ["created", <RelativeTime key="at" iso={run.createdAt} />],
        ["queued for", <Elapsed key="waited" from={run.createdAt} to={run.startedAt ?? run.finishedAt} />],
        ["duration", <Elapsed key="duration" from={run.startedAt} to={run.finishedAt} />],
        ["attempts", `${run.attempt} of ${run.maxAttempts}`],
        ["resumed", run.resumedAt && <RelativeTime key="resumed" iso={run.resumedAt} />],
        ["replayed as", <Replays key="replays" id={run.id} />],
        ["onFailure", hasFailed(run) ? <OnFailure key="failure" id={run.id} /> : null],
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

/** The replays of this run. */
function Replays({ id }: { id: string }) {
  const trpc = useTRPC();
  const replays = useQuery(trpc.runs.list.queryOptions({ replayOf: id, limit: shownReplays + 1 }));
  const found = replays.data?.data ?? [];
  if (found.length === 0) return <span className="font-normal text-ink-3">none yet</span>;
  return (
    <span className="flex flex-wrap gap-x-2">
      {found.slice(0, shownReplays).map((run) => (
        <ShortId key={run.id} id={run.id} href={`/runs/${run.id}`} />
      ))}
      {found.length > shownReplays && (
        <Link
          href={`/runs?replayOf=${encodeURIComponent(id)}`}
          prefetch={false}
          className="text-accent hover:underline"
        >
          show all
        </Link>
      )}
    </span>
  );
}

function hasFailed({ status, failureOf }: Run): boolean {
  return failureOf === null && (status === "failed" || status === "timed_out");
}

/** The run that executes `onFailure` of this run, with its status. There is more than one if it was replayed. */
function OnFailure({ id }: { id: string }) {
  const trpc = useTRPC();
  const runs = useQuery(trpc.runs.list.queryOptions({ failureOf: id, limit: shownReplays }));
  const found = runs.data?.data ?? [];
  if (found.length === 0) return <span className="font-normal text-ink-3">none</span>;
  return (
    <span className="flex flex-wrap gap-x-2">
      {found.map((run) => (
        <span key={run.id} className="flex gap-x-1">
          <ShortId id={run.id} href={`/runs/${run.id}`} />
          <StatusBadge status={runStatuses[run.status]} />
        </span>
      ))}
    </span>
  );
}

/** The source of a run, with a link to it. */
function StartedBy({ run }: { run: Pick<RunSummary, "startedBy" | "deliveryId" | "replayOf" | "failureOf"> }) {
  const startedByRun = run.replayOf ?? run.failureOf;
  const source = startedByRun
    ? { id: startedByRun, href: `/runs/${startedByRun}` }
    : run.deliveryId
      ? { id: run.deliveryId, href: `/deliveries/${run.deliveryId}` }
      : null;
  return (
    <>
      {startedByLabels[run.startedBy]}
      {source && (
        <>
          {" "}
          <ShortId id={source.id} href={source.href} />
        </>
      )}
    </>
  );
}
