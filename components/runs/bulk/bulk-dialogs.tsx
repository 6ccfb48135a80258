"use client";

import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import type { RunSummary } from "../../../server/contract/run.ts";
import { formatNumber } from "../../../server/shared/format.ts";
import { canResume, isEnded } from "../../../server/shared/runs/run-state.ts";
import { useTRPC, useTRPCClient } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/overlays/dialog.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { isOpen } from "../../ui/statuses.ts";
import { FailedItems } from "./failed-items.tsx";
import {
  batchesOfIds,
  type BulkAction,
  type BatchResult,
  type BulkProgress,
  bulkStart,
  type Counted,
  formatCapped,
  type Matching,
  runBulk,
  formatRuns,
  withUntil,
} from "./run-bulk.ts";

interface BulkProgressDialogProps {
  action: BulkAction;
  total: Counted;
  runBatch: (cursor: string | null) => Promise<BatchResult>;
  onClose: () => void;
}

const doneLabels: Record<BulkAction, string> = {
  resume: "resumed",
  replay: "replayed",
  cancel: "canceled or asked to stop",
};

const actionLabels: Record<BulkAction, string> = { resume: "Resume", replay: "Replay", cancel: "Cancel" };

const titles: Record<BulkProgress["state"], Record<BulkAction, string>> = {
  working: { resume: "Resuming…", replay: "Replaying…", cancel: "Canceling…" },
  stopped: { resume: "Resuming stopped", replay: "Replaying stopped", cancel: "Canceling stopped" },
  finished: { resume: "Resumed", replay: "Replayed", cancel: "Canceled" },
  broken: { resume: "Resuming interrupted", replay: "Replaying interrupted", cancel: "Canceling interrupted" },
};

/** Runs that were selected one by one, or by a filter. */
export type BulkTarget = { kind: "chosen"; runs: readonly RunSummary[] } | ({ kind: "matching" } & Matching);

interface Props {
  action: BulkAction;
  target: BulkTarget;
  onClose: (isDone: boolean) => void;
}

/** Confirms the action with a count, then runs it and shows the progress. */
export function BulkDialogs({ action, target, onClose }: Props) {
  const client = useTRPCClient();
  const [isConfirmed, setIsConfirmed] = useState(false);
  const { counted, error } = useCounted(action, target);
  if (isConfirmed && counted) {
    const runBatch =
      target.kind === "chosen"
        ? batchesOfIds(
            target.runs.filter((run) => isAffected(action, run)).map(({ id }) => id),
            (ids) => client.runs.act.mutate({ action, ids }),
          )
        : (cursor: string | null) =>
            client.runs.bulk.mutate({ action, filter: target.filter, until: target.until, cursor });
    return <BulkProgressDialog action={action} total={counted} runBatch={runBatch} onClose={() => onClose(true)} />;
  }
  const what = counted ? formatRuns(counted) : "these runs";
  const isNothing = counted?.count === 0 && !counted.isCapped;
  const label = actionLabels[action];
  return (
    <ConfirmDialog
      title={isNothing ? `Nothing to ${label.toLowerCase()}` : `${label} ${what}?`}
      confirmLabel={`${label} ${what}`}
      tone={action === "cancel" ? "danger" : "primary"}
      isOpen
      isBusy={counted === null || isNothing}
      onConfirm={() => setIsConfirmed(true)}
      onClose={() => onClose(false)}
    >
      {error ? (
        <ErrorNote error={error} title="The runs could not be counted" />
      ) : isNothing ? (
        <p>
          {action === "resume"
            ? "None of the selected runs is an unresolved failure."
            : action === "cancel"
              ? "All of the selected runs have ended."
              : "Each of the selected runs has a replay, or has not ended."}
        </p>
      ) : action === "resume" ? (
        <p>
          Each run continues after its last finished step, with the current build. Finished steps do not execute again.
          Runs that did not fail, or that have a replay, do not change.
        </p>
      ) : action === "replay" ? (
        <p>
          Each run starts again as a new run. It has the same payload, passed through the currently deployed transform,
          or the same input. All steps execute again, with new idempotency keys. Effects of the original runs are not
          undone. Runs that have a replay, and runs that have not ended, are skipped.
        </p>
      ) : (
        <p>
          Queued and waiting runs end immediately. Running runs are asked to stop. Runs that have already ended do not
          change.
        </p>
      )}
    </ConfirmDialog>
  );
}

function isAffected(action: BulkAction, run: RunSummary): boolean {
  if (action === "cancel") return isOpen(run.status);
  return action === "resume" ? canResume(run) : isEnded(run.status) && run.replayedAs === null;
}

/** The number of runs that the action affects. */
function useCounted(action: BulkAction, target: BulkTarget): { counted: Counted | null; error: unknown } {
  const filter = target.kind === "matching" ? { ...withUntil(target.filter, target.until), action } : skipToken;
  const { data, error } = useQuery(
    useTRPC().runs.count.queryOptions(filter, { meta: { live: false }, staleTime: Infinity }),
  );
  if (target.kind === "matching") return { counted: data ?? null, error };
  return {
    counted: { count: target.runs.filter((run) => isAffected(action, run)).length, isCapped: false },
    error: null,
  };
}

/** Runs a bulk action in batches. Shows the progress, a button to stop, and the results. */
function BulkProgressDialog({ action, total, runBatch, onClose }: BulkProgressDialogProps) {
  const queries = useQueryClient();
  const [progress, setProgress] = useState<BulkProgress>(bulkStart);
  const [stop] = useState(() => new AbortController());
  const begin = useEffectEvent((signal: AbortSignal) => {
    void runBulk({ runBatch, signal, onProgress: setProgress }).then(() => queries.invalidateQueries());
  });
  useEffect(() => {
    // A timer, because React mounts twice in development, and runs must not be replayed twice.
    const timer = setTimeout(() => begin(stop.signal));
    return () => clearTimeout(timer);
  }, [stop]);
  const isWorking = progress.state === "working";
  const seen = progress.done + progress.skipped + progress.failed.length;
  const close = () => {
    stop.abort();
    onClose();
  };
  return (
    <Dialog
      title={titles[progress.state][action]}
      isOpen
      onClose={close}
      footer={
        <Button
          tone={isWorking ? "plain" : "primary"}
          onClick={isWorking ? () => stop.abort() : close}
          disabled={isWorking && stop.signal.aborted}
        >
          {isWorking ? "Stop" : "Close"}
        </Button>
      }
    >
      <progress
        aria-label="Progress"
        value={isWorking ? seen : Math.max(seen, 1)}
        max={Math.max(total.count, seen, 1)}
        className="block h-2 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
      />
      <p role="status" className="mt-3">
        {formatNumber(seen)} of {formatCapped(total)}:{" "}
        <strong>{formatRuns({ count: progress.done, isCapped: false })}</strong> {doneLabels[action]}
        {progress.skipped > 0 && `, ${formatNumber(progress.skipped)} skipped`}
        {progress.failed.length > 0 && `, ${formatNumber(progress.failed.length)} failed`}.
      </p>
      {progress.state === "broken" && (
        <div className="mt-3">
          <ErrorNote error={progress.error} title="Interrupted. Completed changes are kept" />
        </div>
      )}
      <FailedItems label="Failed runs" items={progress.failed} hrefOf={(id) => `/runs/${encodeURIComponent(id)}`} />
    </Dialog>
  );
}
