"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import Link from "next/link";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useId, useMemo, useRef, useState } from "react";
import type { NamedStep } from "../../../server/contract/agent/conversation.ts";
import type { Run } from "../../../server/contract/run.ts";
import type { TimelineEntry } from "../../../server/contract/timeline.ts";
import { formatNumber } from "../../../server/shared/format.ts";
import { NeighbourButtons, useNear } from "../../list/trail.tsx";
import { RunForm } from "../../run-form/run-form.tsx";
import { useTRPC, useTRPCClient } from "../../trpc/trpc.ts";
import { IconButton } from "../../ui/controls/button.tsx";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { ModalElement } from "../../ui/overlays/dialog.tsx";
import { ErrorNote, LoadingRows } from "../../ui/states.tsx";
import { useTabTitle } from "../../ui/browser.ts";
import { PageTitle, Panel, TabbedPanel } from "../../ui/page-layout.tsx";
import { UpcomingTime } from "../../ui/time.tsx";
import { Segmented } from "../../ui/controls/choice.tsx";
import { StatusBadge } from "../../ui/badges.tsx";
import { isOpen, runStatuses } from "../../ui/statuses.ts";
import { Tabs } from "../../ui/controls/tabs.tsx";
import { ApprovalsPanel } from "../agent/approvals-panel.tsx";
import { ConversationPanel } from "../agent/conversation-panel.tsx";
import { ChildrenPanel } from "./children-panel.tsx";
import { ErrorDetails } from "./error-details.tsx";
import { RecoveryNote, RunActions } from "./run-actions.tsx";
import { ApprovalBadge } from "../run-badge.tsx";
import { RunData } from "./run-data.tsx";
import { type AttemptError, errorsOfRun } from "./run-errors.ts";
import { RunFacts } from "./run-facts.tsx";
import { RevealedSteps, useRevealedRun } from "./revealed-run.tsx";
import { useConversation, useTimeline } from "./use-live-run.ts";
import { LogsPanel } from "./logs-panel.tsx";
import { runTitle } from "../run-text.ts";
import { findWait } from "../waterfall/row-labels.ts";
import { WaterfallPanel } from "../waterfall/waterfall-panel.tsx";

const timelineViews = ["timeline", "logs"] as const;
const noSteps: readonly NamedStep[] = [];

const replayNotes = {
  workflow: {
    payload: "It passes through the currently deployed transform, like a webhook body. The filter is skipped.",
    input: "It is parsed by the target's input schema and passed to run().",
  },
  agent: {
    payload:
      "It passes through the currently deployed transform and prompt, like a webhook body. The filter is skipped.",
    input: "The agent receives exactly this prompt. The trigger's prompt is skipped.",
  },
};

/** One run: status, facts, timeline, errors, input and output. */
export function RunView({ id }: { id: string }) {
  const trpc = useTRPC();
  const run = useQuery(trpc.runs.get.queryOptions({ id }));
  if (run.data) return <LoadedRun run={run.data} />;
  if (run.error)
    return <ErrorNote title={`${id} could not be loaded`} error={run.error} retry={() => void run.refetch()} />;
  return <LoadingRows label="Loading the run" rows={8} />;
}

function LoadedRun({ run }: { run: Run }) {
  const timeline = useTimeline(run);
  const revealed = useRevealedRun(run);
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
  const { revealEntries } = revealed;
  const shownEntries = useMemo(() => revealEntries(timeline.data), [revealEntries, timeline.data]);
  const entries = shownEntries ?? [];
  const conversation = useConversation(run);
  const shownConversation = revealed.conversation(conversation.data, entries);
  const failures = errorsOfRun(revealed.run(run), entries);
  const isRecovered = run.status === "completed";
  const wait = run.status === "waiting" ? findWait(entries) : null;
  const client = useTRPCClient();
  const near = useNear({
    page: "/runs",
    id: run.id,
    at: run.createdAt,
    fetch: (range) => client.runs.list.query(range),
  });
  useTabTitle(runTitle(run));
  return (
    <>
      <PageTitle
        list={{ href: near.href, label: "Runs" }}
        id={run.id}
        title={run.target.slug}
        nav={<NeighbourButtons page="/runs" noun="run" id={run.id} ids={near.ids} />}
      >
        {shownConversation?.approvals.some(({ isOpen }) => isOpen) ? (
          <ApprovalBadge />
        ) : (
          <>
            <StatusBadge status={runStatuses[run.status]} />
            {wait && (
              <span className="text-ink-2">
                {wait.text} <UpcomingTime iso={new Date(wait.until).toISOString()} />
              </span>
            )}
          </>
        )}
        <RunActions
          key={run.id}
          run={run}
          isCancelRequested={isOpen(run.status) && isCancelRequested(entries)}
          onEdit={openReplay}
        />
      </PageTitle>
      <RunFacts run={run} />
      <RecoveryNote run={run} />
      {run.isMasked && revealed.note}
      {shownConversation && <ApprovalsPanel key={run.id} run={run} approvals={shownConversation.approvals} />}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4">
        {!isRecovered && failures.length > 0 && <ErrorPanel key={`error ${run.id}`} failures={failures} />}
        {run.target.kind === "agent" && run.failureOf === null && (
          <ConversationPanel
            key={run.id}
            run={run}
            conversation={shownConversation}
            error={conversation.error}
            retry={() => void conversation.refetch()}
          />
        )}
        <RevealedSteps value={revealed.steps}>
          <RunTimeline
            key={`timeline ${run.id}`}
            run={run}
            entries={shownEntries}
            steps={shownConversation?.steps ?? noSteps}
            error={timeline.error}
            retry={() => void timeline.refetch()}
          />
        </RevealedSteps>
        <ChildrenPanel runId={run.id} />
        <RunData run={revealed.run(run)} />
        {isRecovered && failures.length > 0 && <ErrorPanel key={`error ${run.id}`} failures={failures} />}
      </div>
      <JsonLinks run={run} />
      {replay === "edit" && <ReplayDialog run={run} onClose={closeReplay} />}
    </>
  );
}

function JsonLinks({ run: { id, target } }: { run: Run }) {
  const path = `/api/v1/runs/${encodeURIComponent(id)}`;
  const links = {
    [path]: path,
    [`${path}/timeline`]: "timeline",
    ...(target.kind === "agent" && { [`${path}/agent`]: "agent trace" }),
  };
  return (
    <p className="mt-4 text-s text-ink-3">
      As JSON:
      {Object.entries(links).map(([href, label], index) => (
        <span key={href}>
          {index > 0 && ","}{" "}
          <Link href={href} prefetch={false} className="text-accent hover:underline">
            {label}
          </Link>
        </span>
      ))}
    </p>
  );
}

/** A resume ends the requests before it. */
function isCancelRequested(entries: readonly TimelineEntry[]): boolean {
  return (
    entries.findLast(({ kind }) => kind === "cancel_requested" || kind === "resume_requested")?.kind ===
    "cancel_requested"
  );
}

/** The timeline and the logs of a run. */
function RunTimeline({
  run,
  entries,
  steps,
  error,
  retry,
}: {
  run: Run;
  entries: TimelineEntry[] | undefined;
  steps: readonly NamedStep[];
  error: unknown;
  retry: () => void;
}) {
  const [view, setView] = useQueryState("view", parseAsStringLiteral(timelineViews).withDefault("timeline"));
  const logs = useMemo(() => entries?.filter(({ kind }) => kind === "log") ?? [], [entries]);
  if (!entries)
    return (
      <Panel title="Timeline">
        {error ? (
          <ErrorNote title="The timeline could not be loaded" error={error} retry={retry} />
        ) : (
          <LoadingRows label="Loading the timeline" />
        )}
      </Panel>
    );
  return (
    <TabbedPanel
      title="Timeline and logs"
      tabs={[
        { id: "timeline", label: "Timeline" },
        { id: "logs", label: "Logs", note: formatNumber(logs.length) },
      ]}
      selected={view}
      onSelect={(id) => void setView(timelineViews.find((one) => one === id) ?? null)}
    >
      {view === "logs" ? (
        <LogsPanel run={run} logs={logs} />
      ) : (
        <WaterfallPanel run={run} entries={entries} steps={steps} />
      )}
    </TabbedPanel>
  );
}

/** The error of each failed attempt, the last attempt first. */
function ErrorPanel({ failures }: { failures: AttemptError[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = failures.find(({ attempt }) => String(attempt) === chosen) ?? failures.at(-1);
  if (!shown) return null;
  const { source, error } = shown;
  const note = (
    <span className="flex min-w-0 items-center gap-1">
      <code className="truncate">
        {source ? `${source.file}:${source.line}:${source.column}` : shown.step ? `step ${shown.step}` : ""}
      </code>
      <CopyButton text={error.stack ?? `${error.name}: ${error.message}`} label="Copy the error with its stack" />
    </span>
  );
  const details = <ErrorDetails failure={shown} />;
  const newestFirst = failures
    .toReversed()
    .map(({ attempt }) => ({ id: String(attempt), label: `Attempt ${attempt}` }));
  return (
    <Panel title={failures.length > 1 ? "Errors" : "Error"} note={note}>
      {failures.length === 1 ? (
        details
      ) : (
        <Tabs label="Errors of the attempts" tabs={newestFirst} selected={String(shown.attempt)} onSelect={setChosen}>
          {details}
        </Tabs>
      )}
    </Panel>
  );
}

/** Replays a run with an edited payload or input. */
function ReplayDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const titleId = useId();
  const [of, setOf] = useState(() => replaySubject(run));
  const hasBoth = replaySubject(run) === "payload" && run.input !== null;
  return (
    <ModalElement labelledBy={titleId} onClose={onClose} className="m-auto w-[min(860px,calc(100vw-24px))]">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b py-2.5 pr-2.5 pl-4">
        <h2 id={titleId} className="min-w-0 flex-1 text-l font-semibold">
          Replay with changes
        </h2>
        {hasBoth && (
          <Segmented
            label="Part to edit"
            value={of}
            options={[
              { value: "payload", label: "Payload" },
              { value: "input", label: "Input" },
            ]}
            onChange={setOf}
          />
        )}
        <IconButton label="Close" icon={X} onClick={onClose} />
      </div>
      <p className="px-4 pt-3 text-s text-ink-3">
        Edit the {of} of this run. {replayNotes[run.target.kind][of]}
      </p>
      <div className="flex min-h-[min(480px,60dvh)] flex-col overflow-auto">
        <RunForm key={of} subject={{ kind: "replay", runId: run.id, of, trigger: run.trigger, target: run.target }} />
      </div>
    </ModalElement>
  );
}

/**
 * The value that a replay starts from: the payload, which passes through the current transform, or the input of a run
 * without a payload.
 */
function replaySubject(run: Pick<Run, "payload" | "attachmentId" | "input">): "payload" | "input" {
  // A payload can be JSON `null`: then the run has a trigger, and no input yet.
  return run.payload !== null || (run.attachmentId !== null && run.input === null) ? "payload" : "input";
}
