"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Ban, PencilLine, Play, RotateCcw } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { Run } from "../../../server/contract/run.ts";
import { canResume } from "../../../server/shared/runs/run-state.ts";
import { useDisabledReason } from "../../auth/access.tsx";
import { describeProblem } from "../../ui/problem-of.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { waitingForKeyHref } from "../list/run-filters.ts";
import { isOpen, runStatuses } from "../../ui/statuses.ts";
import { useToast } from "../../ui/overlays/toast.tsx";

/**
 * Resume, replay, replay with changes, cancel. `isCancelRequested`: a cancel was requested, and the worker has not
 * ended the run yet.
 */
export function RunActions({
  run,
  isCancelRequested,
  onEdit,
}: {
  run: Run;
  isCancelRequested: boolean;
  onEdit: () => void;
}) {
  const trpc = useTRPC();
  const router = useRouter();
  const toast = useToast();
  const disabledReason = useDisabledReason("operate");
  const replay = useMutation(
    trpc.runs.replay.mutationOptions({
      onSuccess({ runId }) {
        toast({ tone: "ok", text: "Replayed. This is the new run." });
        router.push(`/runs/${runId}`);
      },
      onError: (error) => toast({ tone: "bad", text: `The run was not replayed. ${describeProblem(error)}` }),
    }),
  );
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2 md:ml-auto">
      <CancelButton run={run} isCancelRequested={isCancelRequested} />
      <Button icon={PencilLine} disabledReason={disabledReason} onClick={onEdit}>
        Replay with changes
      </Button>
      <Button
        tone={isOpen(run.status) || canResume(run) ? "plain" : "primary"}
        icon={RotateCcw}
        title={replayTitle}
        disabledReason={disabledReason}
        disabled={replay.isPending || replay.isSuccess}
        aria-busy={replay.isPending}
        onClick={() => replay.mutate({ id: run.id })}
      >
        Replay
      </Button>
      {canResume(run) && <ResumeButton run={run} />}
    </div>
  );
}

const replayTitle = "Starts from the beginning as a new run: every step executes again, with a new idempotency key";
const resumeTitle =
  "Continues after the last finished step with the current build: finished steps do not execute again";

function ResumeButton({ run }: { run: Run }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const disabledReason = useDisabledReason("operate");
  const resume = useMutation(
    trpc.runs.resume.mutationOptions({
      onSuccess: () => toast({ tone: "ok", text: "Resumed. The run continues after its last finished step." }),
      onError: (error) => toast({ tone: "bad", text: `The run was not resumed. ${describeProblem(error)}` }),
      // Its page was not live, because the run had ended.
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.runs.pathKey() }),
    }),
  );
  return (
    <Button
      tone="primary"
      icon={Play}
      title={resumeTitle}
      disabledReason={disabledReason}
      disabled={resume.isPending}
      aria-busy={resume.isPending}
      onClick={() => resume.mutate({ id: run.id })}
    >
      Resume
    </Button>
  );
}

/** What resume and replay do, for a run that failed. */
export function RecoveryNote({ run }: { run: Run }) {
  if (!canResume(run)) return null;
  return (
    <p className="mb-4 text-s text-ink-3">
      {run.blocksKey && (
        <>
          <strong className="font-medium text-bad">This run blocks its key.</strong>{" "}
          <Link href={waitingForKeyHref(run)} prefetch={false} className="text-accent underline">
            Other runs with the key
          </Link>{" "}
          wait until it is resumed, replayed or released.{" "}
        </>
      )}
      <strong className="font-medium text-ink-2">Resume</strong> continues after the last finished step, with the
      current build. <strong className="font-medium text-ink-2">Replay</strong> starts from the beginning as a new run:
      every step executes again, with a new idempotency key.
    </p>
  );
}

/** The run may end while the dialog is open: the dialog then stays open and says so. */
function CancelButton({ run, isCancelRequested }: { run: Run; isCancelRequested: boolean }) {
  const trpc = useTRPC();
  const [isAsking, setIsAsking] = useState(false);
  const queries = useQueryClient();
  const cancel = useMutation(
    trpc.runs.cancel.mutationOptions({
      onSuccess: () => setIsAsking(false),
      // The page of a failed run is not live.
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.runs.pathKey() }),
    }),
  );
  // The panel of child runs loads them.
  const children = useQuery(trpc.runs.children.queryOptions({ id: run.id }, { enabled: false })).data;
  const hasOpenChildren = run.waitsFor?.kind === "child" || children?.counts.some(({ status }) => isOpen(status));
  const disabledReason = useDisabledReason("operate");
  const blocksKey = run.blocksKey === true;
  const isStopping = isCancelRequested || (cancel.isSuccess && !blocksKey);
  const hasEnded = !isOpen(run.status) && !blocksKey;
  return (
    <>
      {!hasEnded && (
        <Button
          tone="danger"
          icon={Ban}
          disabledReason={disabledReason}
          disabled={isStopping}
          onClick={() => setIsAsking(true)}
        >
          {blocksKey ? "Release key" : isStopping ? "Stopping…" : "Cancel run"}
        </Button>
      )}
      <ConfirmDialog
        title={blocksKey ? "Release the key?" : hasEnded ? "The run has already ended" : "Cancel this run?"}
        confirmLabel={blocksKey ? "Release key" : "Cancel run"}
        tone="danger"
        isOpen={isAsking}
        isBusy={cancel.isPending || hasEnded}
        onConfirm={() => cancel.mutate({ id: run.id })}
        onClose={() => setIsAsking(false)}
      >
        <p>
          {hasEnded ? `Its status is ${runStatuses[run.status].label}. There is nothing to cancel.` : cancelText(run)}
        </p>
        {!hasEnded && !blocksKey && hasOpenChildren && (
          <p className="mt-3">
            The child runs that it has called are canceled as well, unless their calls have{" "}
            <code className="font-mono text-s">onParentEnd: &quot;continue&quot;</code>. Child runs that it has started
            continue.
          </p>
        )}
        {cancel.error && (
          <div className="mt-3">
            <ErrorNote error={cancel.error} title="The run was not canceled" />
          </div>
        )}
      </ConfirmDialog>
    </>
  );
}

function cancelText({ status, blocksKey }: Run): string {
  if (blocksKey) return "The run stays failed. The next run with its key starts.";
  return status === "running"
    ? "Its code is asked to stop. The current step may still finish. Effects of completed steps are not undone."
    : "It is not executing code and ends immediately. Effects of completed steps are not undone.";
}
