"use client";

import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  Bookmark,
  BookmarkPlus,
  ClipboardPaste,
  FileText,
  Inbox,
  Play,
  Settings2,
  Sparkles,
  Trash2,
} from "lucide-react";
import { useState } from "react";
import type { Json } from "../../../server/contract/json.ts";
import type { Preset } from "../../../server/contract/preset.ts";
import { formatBytes, formatRelativeTime } from "../../../server/shared/format.ts";
import { useDisabledReason } from "../../auth/access.tsx";
import { evaluatedText } from "../../json/read-body.ts";
import { describeProblem } from "../../ui/problem-of.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { Menu, type MenuItem } from "../../ui/overlays/menu.tsx";
import { visibleText } from "../../../server/shared/schema/visible-text.ts";
import { RelativeTime, useNow } from "../../ui/time.tsx";
import { deliveryOutcomes } from "../../ui/statuses.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import { describeFault, parseDraft } from "../draft/draft-text.ts";
import type { RecordedHeaders } from "../draft/field-texts.ts";
import { endpointOf, presetSubjectOf, type RunSubject, targetOf, triggerOf } from "../run-subject.ts";
import { SavePresetDialog } from "./save-preset-dialog.tsx";

interface Props {
  subject: RunSubject;
  /** The source of the draft. */
  label: string;
  text: string;
  emptyText: () => string;
  exampleText: () => string;
  /** `headers`: those of the delivery that the text comes from. */
  onText: (text: string, label: string, headers?: RecordedHeaders) => void;
}

const maxDeliveries = 6;
const maxPreview = 90;
/** No live updates, so that the rows of an open menu do not move. */
const notLive = { meta: { live: false }, refetchInterval: 20_000 };

/** Chooses the source of the draft: empty, a generated example, a delivery or run, pasted JSON, or a preset. */
export function StartFrom({ subject, label, text, emptyText, exampleText, onText }: Props) {
  const disabledReason = useDisabledReason("operate");
  const [open, setOpen] = useState<"paste" | "save" | "presets" | null>(null);
  const presets = usePresets(subject);
  const earlier = useEarlier(subject, onText);
  const items: MenuItem[] = [
    ...presets.map((preset) => ({
      id: `preset-${preset.id}`,
      label: preset.name,
      preview: previewOf(preset.value),
      icon: Bookmark,
      onSelect: () => onText(JSON.stringify(preset.value, null, 2), preset.name),
    })),
    {
      id: "example",
      label: "Example",
      preview: exampleText().replaceAll(/\s+/g, " ").slice(0, maxPreview),
      icon: Sparkles,
      onSelect: () => onText(exampleText(), "example"),
    },
    {
      id: "empty",
      label: "Empty",
      note: "with defaults filled in",
      icon: FileText,
      onSelect: () => onText(emptyText(), "empty"),
    },
    ...earlier,
    { id: "paste", label: "Pasted JSON…", icon: ClipboardPaste, onSelect: () => setOpen("paste") },
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

/** The beginning of a value, in one line. */
function previewOf(value: Json): string {
  return visibleText(JSON.stringify(value), maxPreview);
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
    onSuccess: (delivery) => onText(evaluatedText(delivery) ?? "", "delivery", delivery.headers),
    onError: (error) => toast({ tone: "bad", text: `The delivery could not be loaded. ${describeProblem(error)}` }),
  });
  return [
    ...(deliveries.data?.data ?? []).map((delivery) => ({
      id: delivery.id,
      label: `Delivery ${formatRelativeTime(delivery.receivedAt, now)}`,
      note: [delivery.event, deliveryOutcomes[delivery.outcome].label, formatBytes(delivery.bodyBytes)]
        .filter((part) => part !== null)
        .join(", "),
      icon: Inbox,
      isDisabled: delivery.bodyBytes === 0,
      onSelect: () => body.mutate(delivery.id),
    })),
    ...(inputs.data ?? []).map((run) => ({
      id: run.runId,
      label: `Input of a run ${formatRelativeTime(run.createdAt, now)}`,
      preview: previewOf(run.input),
      icon: Play,
      onSelect: () => onText(JSON.stringify(run.input, null, 2), "recent input"),
    })),
  ];
}

/** Uses pasted JSON as the draft. Invalid JSON can be used, too: the JSON view then shows it. */
function PasteDialog({ onClose, onText }: { onClose: () => void; onText: (text: string) => void }) {
  const [text, setText] = useState("");
  const { fault } = parseDraft(text);
  const take = () => {
    onText(text);
    onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button tone="primary" disabled={text.trim() === ""} onClick={take}>
        {fault && text.trim() !== "" ? "Use invalid JSON" : "Use JSON"}
      </Button>
    </>
  );
  return (
    <Dialog title="Start from pasted JSON" isOpen onClose={onClose} footer={footer}>
      <textarea
        data-autofocus=""
        aria-label="JSON"
        aria-invalid={(fault !== null && text.trim() !== "") || undefined}
        rows={12}
        spellCheck={false}
        placeholder="Paste JSON here"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="block w-full resize-y rounded-m border border-line-strong bg-sunken p-3 font-mono text-s placeholder:font-sans placeholder:text-ink-3"
      />
      <p className="mt-2 min-h-5 text-s text-bad">{fault && text.trim() !== "" ? describeFault(fault) : ""}</p>
    </Dialog>
  );
}

/** Lists the presets of one form, and removes them. */
function PresetsDialog({ presets, onClose }: { presets: readonly Preset[]; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const remove = useMutation(
    trpc.presets.remove.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: trpc.presets.list.queryKey() }),
    }),
  );
  return (
    <Dialog title="Presets" isOpen onClose={onClose} footer={<Button onClick={onClose}>Done</Button>}>
      {presets.length === 0 && <p className="text-ink-3">No presets. Choose “Save as preset…” to create one.</p>}
      <ul className="divide-y">
        {presets.map((preset) => (
          <li key={preset.id} className="flex items-center gap-3 border-line py-2">
            <span className="min-w-0 flex-1 truncate font-medium">{preset.name}</span>
            <span className="shrink-0 text-s text-ink-3">
              <RelativeTime iso={preset.savedAt} />
            </span>
            <Button
              size="s"
              tone="danger"
              icon={Trash2}
              aria-label={`Remove preset ${preset.name}`}
              disabled={remove.isPending}
              onClick={() => remove.mutate({ id: preset.id })}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {remove.error !== null && <ErrorNote error={remove.error} title="The preset was not removed" />}
    </Dialog>
  );
}
