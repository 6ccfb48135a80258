"use client";

import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface Props {
  title: string;
  /** What will happen, in words. */
  children: ReactNode;
  /** What the button does, as a verb: "Cancel 12 runs". */
  confirmLabel: string;
  tone?: "primary" | "danger";
  isOpen: boolean;
  isBusy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that cannot be undone. What harms is never the first choice of the keyboard. */
export function ConfirmDialog({
  title,
  children,
  confirmLabel,
  tone = "primary",
  isOpen,
  isBusy = false,
  onConfirm,
  onClose,
}: Props) {
  const isSafe = tone === "primary";
  const footer = (
    <>
      <Button onClick={onClose} data-autofocus={isSafe ? undefined : ""}>
        {isBusy ? "Close" : "Do nothing"}
      </Button>
      <Button
        tone={tone}
        disabled={isBusy}
        aria-busy={isBusy}
        onClick={onConfirm}
        data-autofocus={isSafe ? "" : undefined}
      >
        {confirmLabel}
      </Button>
    </>
  );
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} footer={footer}>
      <div className="text-ink-2">{children}</div>
    </Dialog>
  );
}
