"use client";

import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { describeFault, parseDraft } from "./draft/parse-draft.ts";

/** Uses pasted JSON as the draft. Invalid JSON can be used, too: the JSON view then shows it. */
export function PasteDialog({ onClose, onText }: { onClose: () => void; onText: (text: string) => void }) {
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
