"use client";

import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Bookmark, BookmarkPlus, ClipboardPaste, FileText, Inbox, Play, Settings2, Sparkles } from "lucide-react";
import { useState } from "react";
import type { Preset } from "../../server/contract/preset.ts";
import { useNow } from "../ui/use-now.ts";
import { useWhyNot } from "../auth/access.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { deliveryOutcomes } from "../ui/statuses.ts";
import { useToast } from "../ui/toast.tsx";
import { sayProblem } from "../trpc/problem-of.ts";
import { PasteDialog } from "./paste-dialog.tsx";
import { PresetsDialog } from "./presets-dialog.tsx";
import { SavePresetDialog } from "./save-preset-dialog.tsx";
import { type RunSubject, endpointOf, presetSubjectOf, targetOf, triggerOf } from "./run-subject.ts";
import { textOfBody } from "./text-of-body.ts";
import { formatBytes, formatRelativeTime } from "../../server/domain/format.ts";

interface Props {
  subject: RunSubject;
  /** The source of the draft. */
  label: string;
  text: string;
  emptyText: () => string;
  exampleText: () => string;
  onText: (text: string, label: string) => void;
}

const maxDeliveries = 6;
/** No live updates, so that the rows of an open menu do not move. */
const notLive = { meta: { live: false }, refetchInterval: 20_000 };

/** Chooses the source of the draft: empty, a generated example, a delivery or run, pasted JSON, or a preset. */
export function StartFrom({ subject, label, text, emptyText, exampleText, onText }: Props) {
  const disabledReason = useWhyNot("operate");
  const [open, setOpen] = useState<"paste" | "save" | "presets" | null>(null);
  const presets = usePresets(subject);
  const earlier = useEarlier(subject, onText);
  const items: MenuItem[] = [
    {
      id: "empty",
      label: "Empty",
      note: "with defaults filled in",
      icon: FileText,
      onSelect: () => onText(emptyText(), "empty"),
    },
    {
      id: "example",
      label: "Example",
      note: "generated from the schema",
      icon: Sparkles,
      onSelect: () => onText(exampleText(), "example"),
    },
    ...earlier,
    { id: "paste", label: "Pasted JSON…", icon: ClipboardPaste, onSelect: () => setOpen("paste") },
    ...presets.map((preset) => ({
      id: `preset-${preset.id}`,
      label: preset.name,
      note: "preset",
      icon: Bookmark,
      onSelect: () => onText(JSON.stringify(preset.value, null, 2), preset.name),
    })),
    {
      id: "save",
      label: "Save as preset…",
      icon: BookmarkPlus,
      ...(disabledReason ? { isDisabled: true, note: disabledReason } : {}),
      onSelect: () => setOpen("save"),
    },
    ...(presets.length > 0 && !disabledReason
      ? [{ id: "manage", label: "Remove presets…", icon: Settings2, onSelect: () => setOpen("presets") }]
      : []),
  ];
  return (
    <>
      <Menu label={`Start from: ${label}`} items={items}>
        <span className="max-w-48 truncate">
          <span className="font-normal text-ink-2">Start from:</span> {label}
        </span>
      </Menu>
      {open === "paste" && (
        <PasteDialog onClose={() => setOpen(null)} onText={(pasted) => onText(pasted, "pasted JSON")} />
      )}
      {open === "save" && (
        <SavePresetDialog
          subject={presetSubjectOf(subject)}
          text={text}
          taken={presets.map(({ name }) => name)}
          onClose={() => setOpen(null)}
        />
      )}
      {open === "presets" && <PresetsDialog presets={presets} onClose={() => setOpen(null)} />}
    </>
  );
}

function usePresets(subject: RunSubject): readonly Preset[] {
  const trpc = useTRPC();
  return useQuery(trpc.presets.list.queryOptions({ subject: presetSubjectOf(subject) })).data ?? [];
}

/** Bodies of recent deliveries for a trigger, recent inputs for a target. */
function useEarlier(subject: RunSubject, onText: Props["onText"]): MenuItem[] {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const now = useNow();
  const target = triggerOf(subject) === null ? targetOf(subject) : null;
  const endpoint = endpointOf(subject);
  const inputs = useQuery({
    ...trpc.targets.recentInputs.queryOptions(target === null ? skipToken : target),
    ...notLive,
  });
  const deliveries = useQuery({
    ...trpc.deliveries.list.queryOptions(endpoint === null ? skipToken : { endpoint, limit: maxDeliveries }),
    ...notLive,
  });
  const body = useMutation({
    mutationFn: (id: string) => queries.fetchQuery(trpc.deliveries.get.queryOptions({ id })),
    onSuccess: (delivery) => onText(textOfBody(delivery.body), "delivery"),
    onError: (error) => toast({ tone: "bad", text: `The delivery could not be loaded. ${sayProblem(error)}` }),
  });
  return [
    ...(deliveries.data?.data ?? []).map((delivery) => ({
      id: delivery.id,
      label: `Delivery ${formatRelativeTime(delivery.receivedAt, now)}`,
      note: `${deliveryOutcomes[delivery.outcome].label}, ${formatBytes(delivery.bodyBytes)}`,
      icon: Inbox,
      isDisabled: delivery.bodyBytes === 0,
      onSelect: () => body.mutate(delivery.id),
    })),
    ...(inputs.data ?? []).map((run) => ({
      id: run.runId,
      label: `Run ${formatRelativeTime(run.createdAt, now)}`,
      note: "input",
      icon: Play,
      onSelect: () => onText(JSON.stringify(run.input, null, 2), "recent input"),
    })),
  ];
}
