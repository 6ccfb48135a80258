"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Fragment } from "react";
import type { DeliverySummary, Reason, Verdict } from "../../../server/contract/delivery.ts";
import { partOf } from "../../../server/contract/request-parts.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { RunBadge } from "../../runs/run-badge.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { ShortId } from "../../ui/controls/copy-button.tsx";
import { wokenShown } from "../delivery-parts.tsx";
import { StatusBadge } from "../../ui/badges.tsx";
import { type StatusStyle, verdictStyle } from "../../ui/statuses.ts";
import { Cell, Row, Table } from "../../ui/page-layout.tsx";
import { formatCount } from "../../../server/shared/format.ts";
import { reasonParts, verdictStages } from "../../../server/shared/deliveries/describe-reason.ts";

interface Props {
  verdicts: readonly Verdict[];
  /** The runs that waited for the delivery. `null`: it wakes none, for example because it is a repeat. */
  woke?: readonly WokenRun[] | null;
  /** Shows a path in the body. If set, paths are buttons. */
  onPath?: ((pointer: string) => void) | undefined;
}

type WokenRun = NonNullable<DeliverySummary["woke"]>[number];

/**
 * The verdict of each trigger: the stage, the path in the body or the headers, the expected and the actual value. One
 * row for each reason.
 */
export function VerdictTable({ verdicts, woke = null, onPath }: Props) {
  return (
    <Table label="Trigger verdicts" columns={["Trigger", "Verdict", "Stage", "Path", "Expected", "Actual", "Run"]}>
      {verdicts.map((verdict, at) => (
        <Fragment key={verdict.attachmentId}>
          {(verdict.reasons.length > 0 ? verdict.reasons : [null]).map((reason, index) => (
            <VerdictRow
              key={index}
              verdict={verdict}
              style={verdictStyle(verdict.outcome, verdicts)}
              reason={reason}
              isFirst={index === 0}
              // A trigger has a verdict for each of its targets.
              woke={isFirstOf(verdicts, at) ? (woke?.filter(({ source }) => source === verdict.trigger) ?? null) : null}
              onPath={onPath}
            />
          ))}
        </Fragment>
      ))}
    </Table>
  );
}

function isFirstOf(verdicts: readonly Verdict[], at: number): boolean {
  return verdicts.findIndex(({ trigger }) => trigger === verdicts[at]?.trigger) === at;
}

function VerdictRow({
  verdict,
  style,
  reason,
  isFirst,
  woke,
  onPath,
}: {
  verdict: Verdict;
  style: StatusStyle;
  reason: Reason | null;
  isFirst: boolean;
  woke: readonly WokenRun[] | null;
  onPath: Props["onPath"];
}) {
  return (
    <Row>
      <Cell name="Trigger">
        {isFirst ? (
          <Link
            href={`/?node=${encodeURIComponent(`trigger:${verdict.trigger}`)}`}
            prefetch={false}
            title={verdict.trigger}
            className="block max-w-60 truncate font-mono hover:text-accent hover:underline"
          >
            {verdict.trigger}
          </Link>
        ) : null}
      </Cell>
      <Cell name="Verdict">{isFirst ? <StatusBadge status={style} /> : null}</Cell>
      <Cell name="Stage">
        {isFirst && <span className="whitespace-nowrap text-ink-2">{verdictStages[verdict.outcome]}</span>}
      </Cell>
      <Cell name="Path">
        {reason && reasonParts(reason).path !== null && (
          <PathButton pointer={reason.pointer} onPath={partOf(verdict.outcome) === "body" ? onPath : undefined} />
        )}
      </Cell>
      <Cell name="Expected">
        {reason && (
          <div className="xl:min-w-36">
            <PlainText text={reason.expected ?? reason.message} />
          </div>
        )}
      </Cell>
      <Cell name="Actual">{reason && <Actual reason={reason} />}</Cell>
      <Cell name="Run">
        {isFirst && verdict.outcome === "matched" && !verdict.target && !woke?.length && (
          <span className="text-s text-ink-3">{woke ? "no run waits for it" : "starts no run"}</span>
        )}
        {isFirst && verdict.runId && verdict.target && (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <RunState runId={verdict.runId} />
            <span className="whitespace-nowrap">
              <span className="text-ink-3">→</span> <code>{verdict.target.slug}</code>
            </span>
          </span>
        )}
        {isFirst && woke && <WokenRuns woke={woke} />}
      </Cell>
    </Row>
  );
}

function PathButton({ pointer, onPath }: { pointer: string; onPath: Props["onPath"] }) {
  const face =
    pointer === "" ? (
      <span>the whole body</span>
    ) : (
      <code className="block max-w-72 break-words">
        <PlainText text={pointer} />
      </code>
    );
  if (!onPath) return face;
  return (
    <button
      type="button"
      onClick={() => onPath(pointer)}
      title="Show in the body"
      className="cursor-pointer text-left text-accent underline decoration-line-strong underline-offset-2 hover:decoration-current"
    >
      {face}
    </button>
  );
}

function Actual({ reason }: { reason: Reason }) {
  const { actual } = reasonParts(reason);
  if (actual === null) return null;
  if (reason.actual === null) return <span className="text-ink-3">{actual}</span>;
  return (
    <code className="block max-w-72 break-words">
      <PlainText text={actual} />
    </code>
  );
}

/** The runs that waited for the delivery. */
function WokenRuns({ woke }: { woke: readonly WokenRun[] }) {
  if (woke.length === 0) return null;
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span className="text-s text-ink-3">woke</span>
      {woke.slice(0, wokenShown).map(({ runId }) => (
        <RunState key={runId} runId={runId} />
      ))}
      {woke.length > wokenShown && (
        <span className="text-s text-ink-3">and {formatCount(woke.length - wokenShown, "more run")}</span>
      )}
    </span>
  );
}

/** A run's id and its current status. */
function RunState({ runId }: { runId: string }) {
  const trpc = useTRPC();
  const { data, error } = useQuery(trpc.runs.get.queryOptions({ id: runId }));
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <ShortId id={runId} href={`/runs/${encodeURIComponent(runId)}`} />
      {data ? (
        <RunBadge run={data} />
      ) : (
        <span className="inline-block w-20 text-xs text-ink-3">{error ? "not available" : ""}</span>
      )}
    </span>
  );
}
