"use client";

import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface Props {
  title: string;
  /** The effects of the action. */
  children: ReactNode;
  /** The action of the button: "Cancel 12 runs". */
  confirmLabel: string;
  tone?: "primary" | "danger";
  isOpen: boolean;
  isBusy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for confirmation. A destructive action never has the initial focus. */
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
        {isBusy ? "Close" : "Go back"}
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
