"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CircleCheck, Hand, TimerOff } from "lucide-react";
import { useId, useState } from "react";
import type { Approval } from "../../../server/contract/agent/conversation.ts";
import type { Run } from "../../../server/contract/run.ts";
import { JsonView } from "../../json/json-view.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import { problemOf } from "../../ui/problem-of.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { runStatuses } from "../../ui/statuses.ts";
import { useToast } from "../../ui/overlays/toast.tsx";

interface Props {
  run: Run;
  approval: Approval;
  /** The number of other pending approvals of the run. */
  others: number;
  isApproved: boolean;
  onClose: () => void;
}

/** Confirms a decision. If another person decides first, the dialog stays open and says so. */
export function DecideDialog({ run, approval, others, isApproved, onClose }: Props) {
  const [reason, setReason] = useState("");
  const { decide, isPending, isSuccess, error, isLost } = useDecide(run, onClose);
  const { toolName, input } = approval.request;
  const isClosed = !isSuccess && !isPending && (isLost || !approval.isOpen);
  const label = isApproved ? "Approve" : "Deny";
  return (
    <ConfirmDialog
      title={isClosed ? "No decision needed" : `${label} this call of ${toolName}?`}
      confirmLabel={`${label} call`}
      tone={isApproved ? "primary" : "danger"}
      isOpen
      isBusy={isPending || isSuccess || isClosed}
      onConfirm={() =>
        decide({
          id: run.id,
          name: approval.name,
          isApproved,
          reason: isApproved || reason.trim() === "" ? null : reason.trim(),
        })
      }
      onClose={onClose}
    >
      {isClosed ? (
        <ClosedText run={run} approval={approval} />
      ) : (
        <>
          <p>{consequenceText({ isApproved, others })}</p>
          <div className="mt-3 overflow-hidden rounded-m border">
            <JsonView text={JSON.stringify(input)} label={`Arguments of ${toolName}`} maxHeight={220} />
          </div>
          {!isApproved && <Reason value={reason} onChange={setReason} />}
        </>
      )}
      {error !== null && !isClosed && (
        <div className="mt-3">
          <ErrorNote error={error} title={isApproved ? "The call was not approved" : "The call was not denied"} />
        </div>
      )}
    </ConfirmDialog>
  );
}

function useDecide(run: Run, onDone: () => void) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const readAgain = () =>
    Promise.all(
      [trpc.runs.get, trpc.runs.conversation].map((read) =>
        queries.invalidateQueries({ queryKey: read.queryKey({ id: run.id }) }),
      ),
    );
  const { mutate, isPending, isSuccess, error } = useMutation(
    trpc.runs.decide.mutationOptions({
      onSuccess(_, { isApproved }) {
        toast({ tone: "ok", text: isApproved ? "Approved. The tool is called." : "Denied. The model is notified." });
        onDone();
      },
      onSettled: () => void readAgain(),
    }),
  );
  return {
    decide: mutate,
    isPending,
    isSuccess,
    error,
    isLost: error !== null && problemOf(error).code === "approval_closed",
  };
}

function consequenceText({ isApproved, others }: { isApproved: boolean; others: number }): string {
  const then =
    others > 0
      ? ` The run continues when ${others === 1 ? "the other call is" : `the other ${others} calls are`} decided.`
      : " The run continues.";
  return isApproved
    ? `The tool is executed with exactly these arguments. This cannot be undone.${then}`
    : `The tool is not executed. The model is notified that a person denied the call, with your reason.${then}`;
}

function ClosedText({ run, approval }: { run: Run; approval: Approval }) {
  if (approval.decidedAt === null)
    return (
      <p>
        {run.status === "waiting"
          ? "Another person has just decided this call."
          : `The run no longer waits for this approval. Its status is ${runStatuses[run.status].label}.`}
      </p>
    );
  return (
    <>
      <p>Another person has already decided this call.</p>
      <div className="mt-2 [&>p]:border-0 [&>p]:p-0">
        <DecisionLine approval={approval} />
      </div>
    </>
  );
}

const maxCharacters = 2_000;

function Reason({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div className="mt-3">
      <label htmlFor={id} className="mb-1 block text-s font-medium text-ink-2">
        Reason (optional), for the model and the timeline
      </label>
      <textarea
        id={id}
        data-autofocus=""
        rows={3}
        maxLength={maxCharacters}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="block w-full resize-y rounded-m border border-line-strong bg-raised px-2.5 py-1.5 text-ink"
      />
    </div>
  );
}

/** The decision on a call, the person, and the time. */
export function DecisionLine({ approval: { decision, decidedAt } }: { approval: Approval }) {
  if (!decision || decidedAt === null) return null;
  const isLate = decision.by === null && !decision.isApproved;
  const Icon = isLate ? TimerOff : decision.isApproved ? CircleCheck : Hand;
  return (
    <p className="flex items-start gap-1.5 border-t px-3 py-1.5 text-s text-ink-2">
      <Icon aria-hidden size={12} className={`mt-[3px] shrink-0 ${decision.isApproved ? "text-ok" : "text-ink-3"}`} />
      <span className="min-w-0">
        {isLate ? "Denied: no decision in time" : decision.isApproved ? "Approved by " : "Denied by "}
        {!isLate && (
          <strong className="font-[560] break-words text-ink">
            <PlainText text={actorName(decision.by)} />
          </strong>
        )}
        , <RelativeTime iso={decidedAt} />
        {decision.reason !== null && (
          <>
            : “<PlainText text={decision.reason} />”
          </>
        )}
      </span>
    </p>
  );
}

/** In development, people have no accounts. */
export function actorName(by: string | null): string {
  return by === null || by === "machine" ? "a person at this machine" : by;
}
