"use client";

import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RunStatus, RunSummary } from "../../server/contract/run.ts";
import { useTRPC, useTRPCClient } from "../trpc/trpc.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { isOpen } from "../ui/statuses.ts";
import type { BulkAction, Matching } from "./bulk-action.ts";
import { BulkProgressDialog } from "./bulk-progress-dialog.tsx";
import { type Counted, runsWords } from "./count-words.ts";
import { askByIds } from "./run-bulk.ts";
import { withUntil } from "./with-until.ts";

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
    const ask =
      target.kind === "chosen"
        ? askByIds(
            target.runs.filter(({ status }) => action === "replay" || isOpen(status)).map(({ id }) => id),
            (ids) => client.runs.act.mutate({ action, ids }),
          )
        : (cursor: string | null) =>
            client.runs.bulk.mutate({ action, filter: target.filter, until: target.until, cursor });
    return <BulkProgressDialog action={action} total={counted} ask={ask} onClose={() => onClose(true)} />;
  }
  const what = counted ? runsWords(counted) : "these runs";
  const isNothing = counted?.count === 0 && !counted.isCapped;
  const verb = action === "replay" ? "Replay" : "Cancel";
  return (
    <ConfirmDialog
      title={isNothing ? "Nothing to cancel" : `${verb} ${what}?`}
      confirmLabel={`${verb} ${what}`}
      tone={action === "cancel" ? "danger" : "primary"}
      isOpen
      isBusy={counted === null || isNothing}
      onConfirm={() => setIsConfirmed(true)}
      onClose={() => onClose(false)}
    >
      {error ? (
        <ErrorNote error={error} what="The runs could not be counted" />
      ) : isNothing ? (
        <p>All of the selected runs have ended.</p>
      ) : action === "replay" ? (
        <p>
          Each run starts again as a new run. It has the same payload, passed through the currently deployed transform,
          or the same input. Effects of the original runs are not undone.
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

const openStatuses: readonly RunStatus[] = ["queued", "running", "waiting"];

/** The number of affected runs. A cancel affects only runs that have not ended. */
function useCounted(action: BulkAction, target: BulkTarget): { counted: Counted | null; error: unknown } {
  const trpc = useTRPC();
  const filter = target.kind === "matching" ? withUntil(target.filter, target.until) : {};
  const settings = { enabled: target.kind === "matching", meta: { live: false }, staleTime: Infinity };
  const all = useQuery(
    trpc.runs.count.queryOptions(filter, { ...settings, enabled: settings.enabled && action === "replay" }),
  );
  const statuses =
    action === "cancel" && target.kind === "matching"
      ? openStatuses.filter((status) => target.filter.status === undefined || target.filter.status === status)
      : [];
  const open = useQueries({
    queries: statuses.map((status) => trpc.runs.count.queryOptions({ ...filter, status }, settings)),
  });
  if (target.kind === "chosen")
    return {
      counted: {
        count: target.runs.filter(({ status }) => action === "replay" || isOpen(status)).length,
        isCapped: false,
      },
      error: null,
    };
  if (action === "replay") return { counted: all.data ?? null, error: all.error };
  const known = open.flatMap(({ data }) => (data ? [data] : []));
  const counted =
    known.length < open.length
      ? null
      : { count: known.reduce((sum, { count }) => sum + count, 0), isCapped: known.some(({ isCapped }) => isCapped) };
  return { counted, error: open.find(({ error }) => error)?.error ?? null };
}
