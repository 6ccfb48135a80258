"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import type { Preset } from "../../server/contract/preset.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";

/** Lists the presets of one form, and removes them. */
export function PresetsDialog({ presets, onClose }: { presets: readonly Preset[]; onClose: () => void }) {
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
      {remove.error !== null && <ErrorNote error={remove.error} what="The preset was not removed" />}
    </Dialog>
  );
}
