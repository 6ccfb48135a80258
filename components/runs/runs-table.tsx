import type { RunSummary, StartedBy } from "../../server/contract/run.ts";
import { Elapsed } from "../ui/elapsed.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { ShortId } from "../ui/short-id.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { runStatuses } from "../ui/statuses.ts";
import { Cell, Row, Table } from "../ui/table.tsx";

export function RunsTable({ runs }: { runs: RunSummary[] }) {
  return (
    <Table label="Runs" columns={["Run", "Status", "Trigger", "Target", "Started by", "When", "Took"]}>
      {runs.map((run) => (
        <Row key={run.id}>
          <Cell name="Run">
            <ShortId id={run.id} href={`/runs/${run.id}`} />
          </Cell>
          <Cell name="Status">
            <StatusBadge face={runStatuses[run.status]} />
            {run.error && <p className="mt-1 line-clamp-1 max-w-[36ch] text-s text-ink-2">{run.error.message}</p>}
          </Cell>
          <Cell name="Trigger">{run.trigger === null ? <span className="text-ink-3">–</span> : <code>{run.trigger}</code>}</Cell>
          <Cell name="Target">
            <code>{run.target.slug}</code>
          </Cell>
          <Cell name="Started by">
            <StartedByCell run={run} />
          </Cell>
          <Cell name="When">
            <RelativeTime iso={run.createdAt} />
          </Cell>
          <Cell name="Took">
            <Elapsed from={run.startedAt} to={run.finishedAt} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

export const startedByWords: Record<StartedBy, string> = {
  webhook: "webhook",
  form: "a person, in the app",
  api: "the API",
  cli: "the command line",
  replay: "replay",
};

/** Who started a run, and a link to where it came from. */
export function StartedByCell({ run }: { run: Pick<RunSummary, "startedBy" | "deliveryId" | "replayOf"> }) {
  const source = run.replayOf ? { id: run.replayOf, href: `/runs/${run.replayOf}` } : run.deliveryId ? { id: run.deliveryId, href: `/deliveries/${run.deliveryId}` } : null;
  return (
    <>
      {startedByWords[run.startedBy]}
      {source && (
        <>
          {" "}
          <ShortId id={source.id} href={source.href} />
        </>
      )}
    </>
  );
}
