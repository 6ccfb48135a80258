"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import type { ReleaseBatch } from "../../../server/contract/delivery.ts";
import { formatCount, formatNumber } from "../../../server/shared/format.ts";
import { FailedItems } from "../../runs/bulk/failed-items.tsx";
import { batchesOfIds, type BulkProgress, bulkStart, runBulk } from "../../runs/bulk/run-bulk.ts";
import { useTRPCClient } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { ErrorNote } from "../../ui/states.tsx";

/** Held deliveries: selected ones, oldest first, or all that match a filter. */
export type ReleaseTarget =
  | { kind: "chosen"; ids: readonly string[] }
  | { kind: "matching"; endpoint?: string; since?: string; until: string };

type Action = "preview" | "release";

interface Props {
  target: ReleaseTarget;
  /** `isDone`: deliveries may have been released. */
  onClose: (isDone: boolean) => void;
}

/** Evaluates the deliveries, shows how many match now, and releases these after a confirmation. */
export function ReleaseDialog({ target, onClose }: Props) {
  const queries = useQueryClient();
  const runBatchOf = useBatches(target);
  const [step, setStep] = useState<{ action: Action; stop: AbortController }>(() => begin("preview"));
  const [progress, setProgress] = useState<BulkProgress>(bulkStart);
  const perform = useEffectEvent((action: Action, signal: AbortSignal) => {
    setProgress(bulkStart);
    const ended = runBulk({ runBatch: runBatchOf(action), signal, onProgress: setProgress });
    if (action === "release") void ended.then(() => queries.invalidateQueries());
  });
  useEffect(() => {
    // A timer, because React mounts twice in development.
    const timer = setTimeout(() => perform(step.action, step.stop.signal));
    return () => clearTimeout(timer);
  }, [step]);
  const { action, stop } = step;
  const isWorking = progress.state === "working";
  const isPreview = action === "preview";
  const close = () => {
    stop.abort();
    onClose(!isPreview);
  };
  const matching = formatCount(progress.done, "delivery", "deliveries");
  return (
    <Dialog
      title={titles[action][progress.state]}
      isOpen
      onClose={close}
      footer={
        isWorking ? (
          <Button onClick={() => stop.abort()} disabled={stop.signal.aborted}>
            Stop
          </Button>
        ) : isPreview && progress.state === "finished" && progress.done > 0 ? (
          <>
            <Button onClick={close}>Go back</Button>
            <Button tone="primary" data-autofocus="" onClick={() => setStep(begin("release"))}>
              Release {matching}
            </Button>
          </>
        ) : (
          <Button tone="primary" onClick={close}>
            Close
          </Button>
        )
      }
    >
      <p role="status" className="text-ink-2">
        <strong className="text-ink">{matching}</strong>{" "}
        {isPreview ? (progress.done === 1 ? "matches a trigger now" : "match a trigger now") : "released"}
        {progress.failed.length > 0 && `, ${formatNumber(progress.failed.length)} stay held`}.
        {isPreview && progress.done > 0 && !isWorking && " Their runs start in the order in which they were received."}
      </p>
      {progress.state === "broken" && (
        <div className="mt-3">
          <ErrorNote error={progress.error} title="Interrupted. Released deliveries stay released" />
        </div>
      )}
      <FailedItems
        label="Deliveries that stay held"
        items={progress.failed}
        hrefOf={(id) => `/deliveries/${encodeURIComponent(id)}`}
      />
    </Dialog>
  );
}

const titles: Record<Action, Record<BulkProgress["state"], string>> = {
  preview: {
    working: "Evaluating held deliveries…",
    stopped: "Evaluation stopped",
    finished: "Release held deliveries?",
    broken: "Evaluation interrupted",
  },
  release: {
    working: "Releasing…",
    stopped: "Releasing stopped",
    finished: "Released",
    broken: "Releasing interrupted",
  },
};

const begin = (action: Action) => ({ action, stop: new AbortController() });

/** The batches of an action. A delivery that is not released counts as failed, with the reason. */
function useBatches(target: ReleaseTarget) {
  const { mutate } = useTRPCClient().deliveries.releaseAll;
  return (action: Action) => {
    if (target.kind === "chosen")
      return batchesOfIds(target.ids, async (ids) => toBatch(await mutate({ action, ids })));
    const { kind: _, ...filter } = target;
    return async (cursor: string | null) => {
      const answer = await mutate({ action, ...filter, cursor });
      return { ...toBatch(answer), nextCursor: answer.nextCursor };
    };
  };
}

function toBatch({ released, data }: ReleaseBatch) {
  return {
    done: released,
    skipped: data.filter(({ result }) => result === "already_released"),
    failed: data.flatMap(({ id, result, message }) =>
      result === "held" || result === "failed" ? [{ id, message: message ?? "" }] : [],
    ),
  };
}
