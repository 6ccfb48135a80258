"use client";

import { CircleCheck, Info, type LucideIcon, TriangleAlert, X } from "lucide-react";
import Link from "next/link";
import { type ReactNode, createContext, useCallback, useContext, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { IconButton } from "./button.tsx";
import { useTopDialog } from "./dialog.tsx";
import type { Tone } from "./statuses.ts";

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

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Numbered[]>([]);
  const count = useRef(0);
  const show = useCallback((toast: Toast) => {
    const key = ++count.current;
    setToasts((shown) => [...shown, { ...toast, key }].slice(-maxToasts));
  }, []);
  const dismiss = useCallback((key: number) => setToasts((shown) => shown.filter((toast) => toast.key !== key)), []);
  return (
    <ToastContext value={show}>
      {children}
      <ToastRegion toasts={toasts} onDismiss={dismiss} />
    </ToastContext>
  );
}

/** Rendered inside the topmost dialog, because elements outside a modal dialog cannot be clicked. */
function ToastRegion({ toasts, onDismiss }: { toasts: readonly Numbered[]; onDismiss: (key: number) => void }) {
  const dialog = useTopDialog();
  const region = (
    <div
      role="status"
      aria-label="Messages"
      className="pointer-events-none fixed right-3 bottom-[calc(var(--rail-height)+12px)] left-3 z-50 flex flex-col items-end gap-2"
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.key} toast={toast} onDismiss={onDismiss} />
      ))}
    </div>
  );
  return dialog ? createPortal(region, dialog) : region;
}

const icons: Record<Tone, LucideIcon> = { ok: CircleCheck, run: Info, wait: Info, bad: TriangleAlert, idle: Info };
const colors: Record<Tone, string> = {
  ok: "text-ok",
  run: "text-run",
  wait: "text-wait",
  bad: "text-bad",
  idle: "text-idle",
};

/** Stays visible while it is hovered or focused. */
function ToastCard({ toast, onDismiss }: { toast: Numbered; onDismiss: (key: number) => void }) {
  const [isPaused, setIsPaused] = useState(false);
  useEffect(() => {
    if (isPaused) return;
    const timer = setTimeout(() => onDismiss(toast.key), shownMs);
    return () => clearTimeout(timer);
  }, [isPaused, onDismiss, toast.key]);
  const Icon = icons[toast.tone];
  return (
    <div
      onPointerEnter={() => setIsPaused(true)}
      onPointerLeave={() => setIsPaused(false)}
      onFocus={() => setIsPaused(true)}
      onBlur={() => setIsPaused(false)}
      className="pointer-events-auto flex max-w-[min(420px,100%)] items-center gap-2.5 rounded-m border bg-raised py-1.5 pr-1.5 pl-3 shadow-floating"
    >
      <Icon aria-hidden size={16} className={`shrink-0 ${colors[toast.tone]}`} />
      <p className="min-w-0 py-1 break-words">
        {toast.text}
        {toast.href && (
          <>
            {" "}
            <Link href={toast.href} className="font-medium whitespace-nowrap text-accent underline">
              {toast.linkLabel ?? "Open"}
            </Link>
          </>
        )}
      </p>
      <IconButton label="Dismiss" icon={X} size="s" onClick={() => onDismiss(toast.key)} />
    </div>
  );
}
