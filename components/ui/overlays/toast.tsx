"use client";

import { CircleCheck, Info, type LucideIcon, TriangleAlert, X } from "lucide-react";
import Link from "next/link";
import { Toast as Radix } from "radix-ui";
import { type ReactNode, createContext, useCallback, useContext, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { IconButton } from "../controls/button.tsx";
import { useTopDialog } from "./top-dialog.ts";
import { type Tone, toneTexts } from "../statuses.ts";

export interface Toast {
  tone: Tone;
  text: string;
  href?: string;
  linkLabel?: string;
}

const shownMs = 7_000;
const maxToasts = 3;

const ToastContext = createContext<(toast: Toast) => void>(() => {});

/** Shows a short message, for example `toast({ tone: "ok", text: "12 runs canceled" })`. Not for questions. */
export const useToast = () => useContext(ToastContext);

type Numbered = Toast & { key: number };

/** Messages stay while they are hovered or focused. F8 moves the focus to them. */
export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Numbered[]>([]);
  const count = useRef(0);
  const show = useCallback((toast: Toast) => {
    const key = ++count.current;
    setToasts((shown) => [...shown, { ...toast, key }].slice(-maxToasts));
  }, []);
  const dismiss = (key: number) => setToasts((shown) => shown.filter((toast) => toast.key !== key));
  // Elements outside a modal dialog cannot be clicked, and are not announced.
  const dialog = useTopDialog();
  const viewport = (
    <Radix.Viewport
      label="Messages ({hotkey})"
      className="pointer-events-none fixed right-3 bottom-[calc(var(--rail-height)+12px)] left-3 z-50 flex flex-col items-end gap-2 outline-none"
    />
  );
  return (
    <ToastContext value={show}>
      <Radix.Provider label="Message" duration={shownMs} announcerContainer={dialog ?? undefined}>
        {children}
        {toasts.map((toast) => (
          <ToastCard key={toast.key} toast={toast} onDismiss={() => dismiss(toast.key)} />
        ))}
        {dialog ? createPortal(viewport, dialog) : viewport}
      </Radix.Provider>
    </ToastContext>
  );
}

const icons: Record<Tone, LucideIcon> = { ok: CircleCheck, run: Info, wait: Info, bad: TriangleAlert, idle: Info };
function ToastCard({ toast, onDismiss }: { toast: Toast; onDismiss: () => void }) {
  const Icon = icons[toast.tone];
  return (
    <Radix.Root
      type="background"
      onOpenChange={onDismiss}
      className="pointer-events-auto flex max-w-[min(420px,100%)] items-center gap-2.5 rounded-m border bg-raised py-1.5 pr-1.5 pl-3 shadow-floating data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)"
    >
      <Icon aria-hidden size={16} className={`shrink-0 ${toneTexts[toast.tone]}`} />
      <Radix.Description className="min-w-0 py-1 break-words">
        {toast.text}
        {toast.href && (
          <>
            {" "}
            <Link href={toast.href} className="font-medium whitespace-nowrap text-accent underline">
              {toast.linkLabel ?? "Open"}
            </Link>
          </>
        )}
      </Radix.Description>
      <Radix.Close asChild>
        <IconButton label="Dismiss" icon={X} size="s" />
      </Radix.Close>
    </Radix.Root>
  );
}
