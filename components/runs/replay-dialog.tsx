"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import type { Run } from "../../server/contract/run.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useToast } from "../ui/toast.tsx";
import { replaySubject } from "./replay-subject.ts";

/** The run again, with its payload or input changed first. */
export function ReplayDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const trpc = useTRPC();
  const router = useRouter();
  const toast = useToast();
  const id = useId();
  const of = replaySubject(run);
  const [text, setText] = useState(() => JSON.stringify(run[of], null, 2));
  const replay = useMutation(
    trpc.runs.replay.mutationOptions({
      onSuccess({ runId }) {
        toast({ tone: "ok", text: "Replayed with your changes: this is the new run." });
        router.push(`/runs/${runId}`);
      },
    }),
  );
  const send = () => replay.mutate({ id: run.id, change: of === "payload" ? { payload: text } : { input: text } });
  return (
    <Dialog
      title="Replay with changes"
      isOpen
      onClose={onClose}
      footer={
        <Button tone="primary" disabled={replay.isPending} onClick={send}>
          Replay
        </Button>
      }
    >
      <label htmlFor={id} className="mb-1 block text-s font-medium text-ink-2">
        {of === "payload" ? "Payload" : "Input"} as JSON
      </label>
      <textarea id={id} data-autofocus="" value={text} onChange={(event) => setText(event.target.value)} spellCheck={false} rows={16} className="w-full rounded-m border border-line-strong bg-raised p-3 font-mono text-s" />
      {replay.error && <ErrorNote error={replay.error} what="The run was not replayed" />}
    </Dialog>
  );
}
