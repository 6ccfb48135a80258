"use client";

import { Button } from "../ui/controls/button.tsx";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";

/** A secret or link that is shown only once. */
export function SecretDialog({
  title,
  note,
  secret,
  onClose,
}: {
  title: string;
  note: string;
  secret: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} isOpen onClose={onClose} footer={<Button onClick={onClose}>Done</Button>}>
      <p className="text-ink-2">{note}</p>
      <div className="mt-3 flex items-center gap-2 rounded-m border bg-sunken py-1.5 pr-1.5 pl-3">
        <code data-testid="secret" className="min-w-0 flex-1 text-s wrap-anywhere">
          {secret}
        </code>
        <CopyButton text={secret} label="Copy" />
      </div>
    </Dialog>
  );
}
