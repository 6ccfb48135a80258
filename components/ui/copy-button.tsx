"use client";

import { Check, Copy, X } from "lucide-react";
import { useEffect, useState } from "react";

interface Props {
  text: string | (() => string | Promise<string>);
  /** The action, for example "Copy the URL of billing". */
  label: string;
  children?: string;
  /** `s`: fits next to a word without increasing the line height. */
  size?: "m" | "s";
}

/** Copies a text and confirms it briefly. */
export function CopyButton({ text, label, children, size = "m" }: Props) {
  const [outcome, setOutcome] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (outcome === "idle") return;
    const timer = setTimeout(() => setOutcome("idle"), 1600);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    // A text that is loaded on demand can fail. The caller reports the error.
    const loaded = await Promise.resolve(typeof text === "function" ? text() : text).catch(() => null);
    setOutcome(loaded !== null && (await copyText(loaded)) ? "copied" : "failed");
  };
  const Icon = { idle: Copy, copied: Check, failed: X }[outcome];
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={label}
      title={label}
      className={`inline-flex ${size === "m" ? "h-7 min-w-7" : "h-5 min-w-5"} shrink-0 cursor-pointer items-center justify-center gap-1.5 rounded-m text-s hover:bg-sunken hover:text-ink ${outcome === "copied" ? "text-ok" : outcome === "failed" ? "text-bad" : "text-ink-3"} ${children ? "border border-line-strong bg-raised px-2.5 font-[550] text-ink" : ""}`}
    >
      <Icon aria-hidden size={size === "m" ? 14 : 12} />
      {children}
      <span role="status" className="sr-only">
        {outcome === "copied" ? "Copied" : outcome === "failed" ? "Copy failed" : ""}
      </span>
    </button>
  );
}

/** The clipboard API requires https or localhost. On plain http, the text is copied through a selection. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.className = "sr-only";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
