"use client";

import { type RefObject, useEffect, useEffectEvent } from "react";

/**
 * Ctrl+Enter (or ⌘+Enter) sends a form from anywhere in its sheet or dialog. On a link, it opens the link in a new tab,
 * as usual.
 */
export function useSendKey(form: RefObject<HTMLElement | null>, send: () => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || event.defaultPrevented || event.repeat) return;
    if (!form.current || !isForForm(form.current, event.target)) return;
    event.preventDefault();
    send();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

function isForForm(form: HTMLElement, target: EventTarget | null): boolean {
  // A dialog above the form handles its own keys.
  const top = [...document.querySelectorAll("dialog:modal")].at(-1);
  if (top && !top.contains(form)) return false;
  if (!(target instanceof Element) || target.closest("a[href]")) return false;
  return target === document.body || (form.closest("aside, dialog") ?? form).contains(target);
}
