import { Fragment } from "react";
import type { Reason, Verdict } from "../../server/contract/verdict.ts";
import { ShortId } from "../ui/short-id.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { verdictOutcomes } from "../ui/statuses.ts";
import { Cell, Row, Table } from "../ui/table.tsx";

/** What each trigger decided, at which stage, where in the body, and what it would have had to be. One row for each reason. */
export function VerdictTable({ verdicts }: { verdicts: Verdict[] }) {
  return (
    <Table label="What each trigger decided" columns={["Trigger", "Decided", "Stage", "Where", "Expected", "Was", "Run"]}>
      {verdicts.map((verdict) => (
        <Fragment key={verdict.attachmentId}>
          {(verdict.reasons.length > 0 ? verdict.reasons : [null]).map((reason, index) => (
            <VerdictRow key={index} verdict={verdict} reason={reason} isFirst={index === 0} />
          ))}
        </Fragment>
      ))}
    </Table>
  );
}

function VerdictRow({ verdict, reason, isFirst }: { verdict: Verdict; reason: Reason | null; isFirst: boolean }) {
  const face = verdictOutcomes[verdict.outcome];
  return (
    <Row>
      <Cell name="Trigger">{isFirst ? <code>{verdict.trigger}</code> : null}</Cell>
      <Cell name="Decided">{isFirst ? <StatusBadge face={face} /> : null}</Cell>
      <Cell name="Stage">{isFirst && <span className="text-ink-2">{face.stage}</span>}</Cell>
      <Cell name="Where">{reason && <code>{reason.pointer || "the whole body"}</code>}</Cell>
      <Cell name="Expected">{reason && (reason.expected ?? reason.message)}</Cell>
      <Cell name="Was">{typeof reason?.actual === "string" && <code className="break-all">{reason.actual}</code>}</Cell>
      <Cell name="Run">
        {isFirst && verdict.runId && (
          <span className="whitespace-nowrap">
            <ShortId id={verdict.runId} href={`/runs/${verdict.runId}`} /> <span className="text-ink-3">→</span> <code>{verdict.target.slug}</code>
          </span>
        )}
      </Cell>
    </Row>
  );
}
