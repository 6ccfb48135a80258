"use client";

import { Check, Copy, X } from "lucide-react";
import Link from "next/link";
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
    const isCopied = await copyText(Promise.resolve(typeof text === "function" ? text() : text));
    setOutcome(isCopied ? "copied" : "failed");
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

/**
 * The clipboard API requires https or localhost. On plain http, the text is copied through a selection. A text that is
 * loaded on demand can fail; the caller reports the error.
 */
async function copyText(text: Promise<string>): Promise<boolean> {
  try {
    // Not after the text has loaded: by then, Safari no longer allows what a click allows.
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": text.then(toBlob) })]);
    return true;
  } catch {
    return text.then(copyBySelection, () => false);
  }
}

const toBlob = (text: string) => new Blob([text], { type: "text/plain" });

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

/** Plain text in a scrolling block, never rendered as markup. `copyLabel` adds a copy button. */
export function CodeBlock({ text, label, copyLabel }: { text: string; label: string; copyLabel?: string }) {
  return (
    <div className="relative">
      {/* A scrolling region must be reachable by keyboard. */}
      <pre
        tabIndex={0}
        role="region"
        aria-label={`${label}, as text`}
        className={`max-h-[480px] overflow-auto py-3 pl-4 text-s/[1.65] text-ink-2 ${copyLabel ? "mr-11 pr-1" : "pr-4"}`}
      >
        {text}
      </pre>
      {copyLabel && (
        <div className="absolute top-2 right-2">
          <CopyButton text={text} label={copyLabel} />
        </div>
      )}
    </div>
  );
}

/** A shortened id that links to its page. The title contains the full id; a small button copies it. */
export function ShortId({ id, href }: { id: string; href: string }) {
  return (
    <span className="group/id inline-flex max-w-full items-center gap-0.5 whitespace-nowrap">
      <Link href={href} prefetch={false} title={id} className="truncate font-mono text-s text-accent hover:underline">
        {shortId(id)}
      </Link>
      <span className="-my-1 inline-flex opacity-0 group-hover/id:opacity-100 has-focus-visible:opacity-100 pointer-coarse:hidden">
        <CopyButton text={id} label={`Copy ${id}`} size="s" />
      </span>
    </span>
  );
}

/** The prefix and the last eight characters. The first characters of a ULID only encode the time. */
function shortId(id: string): string {
  const [prefix, rest] = id.split("_");
  return rest === undefined || rest.length <= 8 ? id : `${prefix}_…${rest.slice(-8)}`;
}
