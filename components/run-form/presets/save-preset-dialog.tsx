"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import type { PresetSubject } from "../../../server/contract/preset.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { TextInput } from "../../ui/controls/text-input.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";

interface Props {
  subject: PresetSubject;
  text: string;
  /** The names of existing presets. */
  taken: readonly string[];
  onClose: () => void;
}

/** Saves the draft as a preset for everyone. */
export function SavePresetDialog({ subject, text, taken, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const formId = useId();
  const [name, setName] = useState("");
  const save = useMutation(
    trpc.presets.save.mutationOptions({
      onSuccess: ({ name }) => {
        void queries.invalidateQueries({ queryKey: trpc.presets.list.queryKey() });
        toast({ tone: "ok", text: `Preset "${name}" is saved` });
        onClose();
      },
    }),
  );
  const isTaken = taken.includes(name.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "") save.mutate({ subject, name: name.trim(), text });
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form={formId} tone="primary" disabled={name.trim() === "" || save.isPending}>
        {isTaken ? "Replace preset" : "Save preset"}
      </Button>
    </>
  );
  return (
    <Dialog title="Save as preset" isOpen onClose={onClose} footer={footer}>
      <form id={formId} onSubmit={submit} className="grid gap-3">
        <TextInput
          data-autofocus=""
          label="Name"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <p className="text-s text-ink-3">
          {isTaken
            ? "A preset with this name exists. Saving replaces it."
            : "Everyone who opens this form can use the preset."}
        </p>
        {save.error !== null && <ErrorNote error={save.error} title="The preset was not saved" />}
      </form>
    </Dialog>
  );
}
