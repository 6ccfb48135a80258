"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useRef } from "react";
import type { AgentTrace } from "../../server/contract/agent-trace.ts";
import type { Run } from "../../server/contract/run.ts";
import type { TimelineEntry } from "../../server/contract/timeline.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { LoadingRows } from "../ui/faces.tsx";
import { PageTitle } from "../ui/page-title.tsx";
import { Panel } from "../ui/panel.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { isOpen, runStatuses } from "../ui/statuses.ts";
import { ApprovalsPanel } from "./agent/approvals-panel.tsx";
import { openApprovals } from "./agent/conversation.ts";
import { ConversationPanel } from "./agent/conversation-panel.tsx";
import { useAgentTrace } from "./agent/use-agent-trace.ts";
import { ErrorPanel } from "./error-panel.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { RunActions } from "./run-actions.tsx";
import { HeldBadge } from "./run-badge.tsx";
import { RunData } from "./run-data.tsx";
import { errorsOfRun } from "./run-errors.ts";
import { RunFacts } from "./run-facts.tsx";
import { useTimeline } from "./use-timeline.ts";
import { WaterfallPanel } from "./waterfall-panel.tsx";

/** One run: status, facts, timeline, errors, input and output. */
export function RunView({ id }: { id: string }) {
  const trpc = useTRPC();
  const run = useQuery(trpc.runs.get.queryOptions({ id }));
  if (run.data) return <LoadedRun run={run.data} />;
  if (run.error)
    return <ErrorNote what={`${id} could not be loaded`} error={run.error} retry={() => void run.refetch()} />;
  return <LoadingRows label="Loading the run" rows={8} />;
}

function LoadedRun({ run }: { run: Run }) {
  const timeline = useTimeline(run.id);
  const [replay, setReplay] = useQueryState("replay", parseAsStringLiteral(["edit"]).withOptions({ history: "push" }));
  // Closing a dialog that was opened here goes back, so that the history does not contain the page twice.
  const wasOpenedHere = useRef(false);
  const openReplay = () => {
    wasOpenedHere.current = true;
    void setReplay("edit");
  };
  const closeReplay = () => {
    if (wasOpenedHere.current) history.back();
    else void setReplay(null, { history: "replace" });
  };
  const entries = timeline.data ?? [];
  const trace = useAgentTrace(run);
  const failures = errorsOfRun(run, entries);
  return (
    <>
      <PageTitle crumb={{ href: "/runs", label: "Runs", rest: run.target.slug }} id={run.id}>
        {trace.data && openApprovals(trace.data, run.status).length > 0 ? (
          <HeldBadge />
        ) : (
          <StatusBadge face={runStatuses[run.status]} />
        )}
        <RunActions
          key={run.id}
          run={run}
          wasAskedToStop={isOpen(run.status) && entries.some(({ kind }) => kind === "cancel_requested")}
          onEdit={openReplay}
        />
      </PageTitle>
      <RunFacts run={run} />
      {trace.data && <ApprovalsPanel key={run.id} run={run} trace={trace.data} />}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4">
        {run.target.kind === "agent" && (
          <ConversationPanel
            key={run.id}
            run={run}
            trace={trace.data}
            entries={entries}
            error={trace.error}
            retry={() => void trace.refetch()}
          />
        )}
        <Timeline
          run={run}
          entries={timeline.data}
          trace={trace.data}
          error={timeline.error}
          retry={() => void timeline.refetch()}
        />
        <div
          className={`grid grid-cols-[minmax(0,1fr)] items-start gap-4 ${failures.length > 0 ? "xl:grid-cols-2" : ""}`}
        >
          {failures.length > 0 && <ErrorPanel key={run.id} failures={failures} />}
          <RunData run={run} />
        </div>
      </div>
      <p className="mt-4 text-s text-ink-3">
        As JSON:{" "}
        <Link
          href={`/api/v1/runs/${encodeURIComponent(run.id)}`}
          prefetch={false}
          className="text-accent hover:underline"
        >
          /api/v1/runs/{run.id}
        </Link>
        {", "}
        <Link
          href={`/api/v1/runs/${encodeURIComponent(run.id)}/timeline`}
          prefetch={false}
          className="text-accent hover:underline"
        >
          timeline
        </Link>
        {run.target.kind === "agent" && (
          <>
            {", "}
            <Link
              href={`/api/v1/runs/${encodeURIComponent(run.id)}/agent`}
              prefetch={false}
              className="text-accent hover:underline"
            >
              agent trace
            </Link>
          </>
        )}
      </p>
      {replay === "edit" && <ReplayDialog run={run} onClose={closeReplay} />}
    </>
  );
}

function Timeline({
  run,
  entries,
  trace,
  error,
  retry,
}: {
  run: Run;
  entries: TimelineEntry[] | undefined;
  trace: AgentTrace | undefined;
  error: unknown;
  retry: () => void;
}) {
  if (entries) return <WaterfallPanel key={run.id} run={run} entries={entries} trace={trace} />;
  return (
    <Panel title="Timeline">
      {error ? (
        <ErrorNote what="The timeline could not be loaded" error={error} retry={retry} />
      ) : (
        <LoadingRows label="Loading the timeline" />
      )}
    </Panel>
  );
}
