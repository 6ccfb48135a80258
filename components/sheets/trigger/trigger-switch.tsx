"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Pause, Play } from "lucide-react";
import { useQueryState } from "nuqs";
import { useState } from "react";
import type { Disabled } from "../../../server/contract/disabled.ts";
import { useDisabledReason } from "../../auth/access.tsx";
import { describeProblem } from "../../ui/problem-of.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { TextInput } from "../../ui/controls/text-input.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useDisabled } from "../sheet-data.ts";

/** Disables a trigger, after a confirmation, and enables it again. `isWaking`: it has no target, and only wakes runs. */
export function TriggerSwitch({ slug, isWaking }: { slug: string; isWaking: boolean }) {
  const does = isWaking ? "wakes" : "starts";
  const disabled = useDisabled(slug);
  const disabledReason = useDisabledReason("operate");
  const { disable, enable } = useSwitch(slug);
  // In the URL, so that the search can open the question.
  const [ask, setAsk] = useQueryState("ask");
  const close = () => void setAsk(null);
  const [reason, setReason] = useState("");
  if (disabled === undefined) return <div className="h-7" />;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <State disabled={disabled} isWaking={isWaking} />
      <span className="ml-auto">
        {disabled ? (
          <Button
            size="s"
            icon={Play}
            disabledReason={disabledReason}
            disabled={enable.isPending}
            onClick={() => enable.mutate({ slug })}
          >
            Enable
          </Button>
        ) : (
          <Button size="s" icon={Pause} disabledReason={disabledReason} onClick={() => void setAsk("switch")}>
            Disable
          </Button>
        )}
      </span>
      <ConfirmDialog
        title={`Disable ${slug}?`}
        confirmLabel="Disable"
        tone="danger"
        isOpen={ask === "switch" && disabled === null && disabledReason === undefined}
        isBusy={disable.isPending}
        onConfirm={() => disable.mutate({ slug, reason: reason.trim() || null }, { onSettled: close })}
        onClose={close}
      >
        <p className="mb-3">
          This trigger {does} no runs until you enable it again. If it is the only trigger on its endpoint, senders get
          200. Deliveries show its verdict as disabled. Redeliver them later to catch up.
        </p>
        <TextInput
          label="Reason (optional)"
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          placeholder="the mail server is down"
        />
      </ConfirmDialog>
      <ConfirmDialog
        title={`Enable ${slug}?`}
        confirmLabel="Enable"
        isOpen={ask === "switch" && disabled !== null && disabledReason === undefined && !disable.isSuccess}
        isBusy={enable.isPending}
        onConfirm={() => enable.mutate({ slug }, { onSettled: close })}
        onClose={close}
      >
        It {does} runs again for bodies that match. Redeliver the deliveries that it missed.
      </ConfirmDialog>
    </div>
  );
}

function State({ disabled, isWaking }: { disabled: Disabled | null; isWaking: boolean }) {
  if (disabled === null)
    return <span className="text-ink-2">Enabled. It {isWaking ? "wakes runs" : "fires"} when a body matches.</span>;
  return (
    <span className="min-w-0 text-wait">
      Disabled <RelativeTime iso={disabled.at} />
      {disabled.reason !== null && <span className="break-words text-ink-2">: {disabled.reason}</span>}
    </span>
  );
}

function useSwitch(slug: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const settled = {
    onError: (error: unknown) =>
      toast({ tone: "bad" as const, text: `${slug} was not changed. ${describeProblem(error)}` }),
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.triggers.disabled.queryKey() }),
  };
  return {
    disable: useMutation(trpc.triggers.disable.mutationOptions(settled)),
    enable: useMutation(trpc.triggers.enable.mutationOptions(settled)),
  };
}
