"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { Json } from "../../server/contract/json.ts";
import type { Run } from "../../server/contract/run.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { Elapsed } from "../ui/elapsed.tsx";
import { ErrorFace, LoadingRows } from "../ui/faces.tsx";
import { Facts } from "../ui/facts.tsx";
import { PageTitle } from "../ui/page-title.tsx";
import { Panel } from "../ui/panel.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { runStatuses } from "../ui/statuses.ts";
import { StartedByCell } from "./runs-table.tsx";
import { TimelineList } from "./timeline-list.tsx";

/** One run: state, timing, who started it, what happened, what went in and came out. */
export function RunView({ id }: { id: string }) {
  const trpc = useTRPC();
  const run = useQuery(trpc.runs.get.queryOptions({ id }));
  if (run.data) return <LoadedRun run={run.data} />;
  if (run.error) return <ErrorFace what={`${id} could not be read`} message={run.error.message} retry={() => void run.refetch()} />;
  return <LoadingRows label="The run is being read" rows={8} />;
}

function LoadedRun({ run }: { run: Run }) {
  return (
    <>
      <PageTitle crumb={{ href: "/#runs", label: "Runs", rest: run.target.slug }} id={run.id}>
        <StatusBadge face={runStatuses[run.status]} />
      </PageTitle>
      <Facts
        facts={[
          ["started by", <StartedByCell key="by" run={run} />],
          ["trigger", run.trigger],
          [run.target.kind, run.target.slug],
          ["version", <code key="version" title={run.version}>{run.version.slice(0, 8)}</code>],
          ["recorded", <RelativeTime key="at" iso={run.createdAt} />],
          ["took", <Elapsed key="took" from={run.startedAt} to={run.finishedAt} />],
          ["attempts", `${run.attempt} of ${run.maxAttempts}`],
        ]}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-2">
        {run.error && (
          <div className="xl:col-span-2">
            <Panel title="Error" note={<code>{run.error.name}</code>}>
              <p className="px-4 pt-3 font-mono text-s break-words whitespace-pre-wrap text-bad">{run.error.message}</p>
              {run.error.stack && <CodeBlock label="Stack of the error" text={run.error.stack} copyLabel="Copy the stack" />}
            </Panel>
          </div>
        )}
        <Timeline run={run} />
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4">
          <JsonPanel title="Payload" note="what the trigger's request made of the body" value={run.payload} absent={run.trigger === null ? "This run was started with an input of its own." : "Nothing is kept."} />
          <JsonPanel title="Input" note="what run() got" value={run.input} absent="Not known yet: it is made when the run first starts." />
          <JsonPanel title="Output" note="what run() returned" value={run.output} absent={run.status === "completed" ? "run() returned nothing." : "There is none."} />
        </div>
      </div>
      <p className="mt-4 text-s text-ink-3">
        Also as JSON:{" "}
        <Link href={`/api/v1/runs/${run.id}`} prefetch={false} className="text-accent hover:underline">
          /api/v1/runs/{run.id}
        </Link>
      </p>
    </>
  );
}

function Timeline({ run }: { run: Run }) {
  const trpc = useTRPC();
  const timeline = useQuery(trpc.runs.timeline.queryOptions({ id: run.id }));
  return (
    <Panel title="Timeline" note={timeline.data ? `${timeline.data.length} entries` : undefined}>
      {timeline.data ? (
        <TimelineList entries={timeline.data} createdAt={run.createdAt} />
      ) : timeline.error ? (
        <ErrorFace what="The timeline could not be read" message={timeline.error.message} retry={() => void timeline.refetch()} />
      ) : (
        <LoadingRows label="The timeline is being read" />
      )}
    </Panel>
  );
}

function JsonPanel({ title, note, value, absent }: { title: string; note: string; value: Json | null; absent: string }) {
  return (
    <Panel title={title} note={note}>
      {value === null ? <p className="px-4 py-3 text-ink-3">{absent}</p> : <CodeBlock label={title} text={JSON.stringify(value, null, 2)} copyLabel={`Copy the ${title.toLowerCase()}`} />}
    </Panel>
  );
}
