"use client";

import { X } from "lucide-react";
import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { Button, IconButton } from "../controls/button.tsx";
import { keepFocus } from "../focus.ts";
import { registerDialog } from "./top-dialog.ts";

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** Buttons below the content, aligned right. */
  footer?: ReactNode;
}

/**
 * A native modal dialog. It traps the focus, closes on Esc or a click outside, and restores the previous focus. The
 * initial focus is on the element with `data-autofocus`, or else on the first field.
 */
export function Dialog({ isOpen, ...props }: DialogProps) {
  return isOpen ? <OpenDialog {...props} /> : null;
}

function OpenDialog({ title, onClose, children, footer }: Omit<DialogProps, "isOpen">) {
  const titleId = useId();
  return (
    <ModalElement labelledBy={titleId} onClose={onClose} className="m-auto w-[min(560px,calc(100vw-24px))]">
      <div className="flex items-center gap-3 border-b py-2.5 pr-2.5 pl-4">
        <h2 id={titleId} className="min-w-0 flex-1 text-l font-semibold break-words">
          {title}
        </h2>
        <IconButton label="Close" icon={X} onClick={onClose} />
      </div>
      <ScrollBody labelledBy={titleId}>{children}</ScrollBody>
      {footer && <div className="flex flex-wrap justify-end gap-2 border-t px-4 py-3">{footer}</div>}
    </ModalElement>
  );
}

interface ConfirmDialogProps {
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
}: ConfirmDialogProps) {
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

interface ModalElementProps {
  labelledBy?: string;
  label?: string;
  onClose: () => void;
  className: string;
  children: ReactNode;
}

/** A modal dialog without a header. Open while mounted. */
export function ModalElement({ labelledBy, label, onClose, className, children }: ModalElementProps) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    dialog.showModal();
    firstFocus(dialog).focus();
    const deregister = registerDialog(dialog);
    return () => {
      dialog.close();
      deregister();
      // The browser restores the previous focus, if that element still exists.
      keepFocus();
    };
  }, []);
  const closeOnBackdrop = (event: MouseEvent) => {
    if (event.target === element.current) onClose();
  };
  return (
    <dialog
      ref={element}
      aria-labelledby={labelledBy}
      aria-label={label}
      onCancel={(event) => {
        // The cancel event of a file picker bubbles up to here.
        if (event.target !== element.current) return;
        event.preventDefault();
        onClose();
      }}
      onClose={(event) => {
        // Browsers close the dialog on a second Esc, even after preventDefault.
        if (event.target === element.current && !element.current.open) onClose();
      }}
      onMouseDown={closeOnBackdrop}
      tabIndex={-1}
      className={`rounded-l border bg-panel text-ink shadow-floating outline-none backdrop:bg-veil ${className}`}
    >
      <div className="flex max-h-[calc(100dvh-32px)] flex-col overflow-hidden">{children}</div>
    </dialog>
  );
}

/** Without fields, the dialog itself has the focus: screen readers read the title first, and no button is focused. */
function firstFocus(dialog: HTMLDialogElement): HTMLElement {
  return (
    dialog.querySelector<HTMLElement>("[data-autofocus]") ??
    dialog.querySelector<HTMLElement>("input:not([type=hidden]), textarea, select") ??
    dialog
  );
}

/** The scrolling part of a dialog. If it overflows, Tab can focus it, so that the arrow keys scroll it. */
function ScrollBody({ labelledBy, children }: { labelledBy: string; children: ReactNode }) {
  const outer = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const [isLong, setIsLong] = useState(false);
  useLayoutEffect(() => {
    const measure = () => setIsLong(outer.current !== null && outer.current.scrollHeight > outer.current.clientHeight);
    const observer = new ResizeObserver(measure);
    for (const { current } of [outer, inner]) if (current) observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={outer}
      {...(isLong && { tabIndex: 0, role: "region", "aria-labelledby": labelledBy })}
      className="min-h-0 overflow-auto px-4 py-4 -outline-offset-2"
    >
      <div ref={inner}>{children}</div>
    </div>
  );
}
