"use client";

import { useQuery } from "@tanstack/react-query";
import { Coins } from "lucide-react";
import Link from "next/link";
import type { RunSummary } from "../../../server/contract/run.ts";
import { formatNumber } from "../../../server/shared/format.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { TargetIcon } from "../../ui/badges.tsx";
import { ShortId } from "../../ui/controls/copy-button.tsx";
import { Cell, Panel, Row, Table } from "../../ui/page-layout.tsx";
import { runStatuses, toneTexts } from "../../ui/statuses.ts";
import { Elapsed, RelativeTime } from "../../ui/time.tsx";
import { childrenHref } from "../list/run-filters.ts";
import { RunBadge } from "../run-badge.tsx";
import { formatSpend } from "../run-text.ts";

/** The runs that a run called or started, and the usage of all of them. Nothing for a run without children. */
export function ChildrenPanel({ runId }: { runId: string }) {
  const children = useQuery(useTRPC().runs.children.queryOptions({ id: runId })).data;
  if (!children || children.newest.length === 0) return null;
  const { newest, counts, isCapped, usage } = children;
  const total = counts.reduce((sum, { runs }) => sum + runs, 0);
  const hasMore = isCapped || total > newest.length;
  return (
    <Panel
      title="Child runs"
      note={
        <Link href={childrenHref(runId)} prefetch={false} className="text-accent hover:underline">
          {hasMore ? `Show all ${formatNumber(total)}${isCapped ? " and more" : ""}` : "Show as a list"}
        </Link>
      }
    >
      {hasMore && (
        <ul aria-label="Child runs by status" className="flex flex-wrap gap-x-4 gap-y-1 border-b px-4 py-2 text-s">
          {counts.map(({ status, runs }) => {
            const { label, icon: Icon, tone } = runStatuses[status];
            return (
              <li key={status}>
                <Link
                  href={childrenHref(runId, status)}
                  prefetch={false}
                  className="inline-flex items-center gap-1.5 text-ink-2 tabular-nums hover:underline"
                >
                  <Icon aria-hidden size={12} strokeWidth={2.4} className={toneTexts[tone]} />
                  {formatNumber(runs)} {label}
                </Link>
              </li>
            );
          })}
        </ul>
      )}
      <Table
        label={hasMore ? "Newest child runs" : "Child runs"}
        columns={["Status", "Target", "Run", "Duration", "Created"]}
      >
        {newest.map((run) => (
          <ChildRow key={run.id} run={run} />
        ))}
      </Table>
      {usage && (
        <p className="flex items-center gap-1.5 border-t px-4 py-2 text-s text-ink-2 tabular-nums">
          <Coins aria-hidden size={13} className="shrink-0 text-ink-3" />
          <span>
            Usage with child runs{usage.isCapped && ", at least"}:{" "}
            <span className="text-ink">{formatSpend(usage)}</span>
          </span>
        </p>
      )}
    </Panel>
  );
}

function ChildRow({ run }: { run: RunSummary }) {
  return (
    <Row>
      <Cell name="Status">
        <RunBadge run={run} />
      </Cell>
      <Cell name="Target">
        <span className="flex min-w-0 items-center gap-1.5">
          <TargetIcon kind={run.target.kind} />
          <span className="font-medium">{run.target.slug}</span>
          {run.key && (
            <span title={`key ${run.key}`} className="truncate text-s text-ink-3">
              {run.key}
            </span>
          )}
        </span>
        {run.error && (
          <span className="mt-0.5 line-clamp-2 text-s text-bad">
            <PlainText text={`${run.error.name}: ${run.error.message}`} />
          </span>
        )}
      </Cell>
      <Cell name="Run">
        <ShortId id={run.id} href={`/runs/${encodeURIComponent(run.id)}`} />
      </Cell>
      <Cell name="Duration">
        <Elapsed from={run.startedAt} to={run.finishedAt} />
      </Cell>
      <Cell name="Created">
        <RelativeTime iso={run.createdAt} />
      </Cell>
    </Row>
  );
}
