"use client";

import { type RefObject, useEffect, useEffectEvent } from "react";

/**
 * Ctrl (or ⌘) and Enter send a form from anywhere in the sheet or dialog that holds it. On a link they open it in
 * another tab, as always.
 */
export function useSendKey(form: RefObject<HTMLElement | null>, send: () => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || event.defaultPrevented || event.repeat) return;
    if (!form.current || !isMeant(form.current, event.target)) return;
    event.preventDefault();
    send();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

function isMeant(form: HTMLElement, target: EventTarget | null): boolean {
  // A dialog above the form has the keys for itself.
  const top = [...document.querySelectorAll("dialog:modal")].at(-1);
  if (top && !top.contains(form)) return false;
  if (!(target instanceof Element) || target.closest("a[href]")) return false;
  return target === document.body || (form.closest("aside, dialog") ?? form).contains(target);
}
