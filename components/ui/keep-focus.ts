/**
 * Moves the focus to the page content if the focused element is gone (a dialog without an opener, a row of the previous
 * page). The next Tab then continues from there, and screen readers announce the position.
 */
export function keepFocus(): void {
  // After the replacement has rendered and could take the focus itself.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (isFocusLost()) document.getElementById("content")?.focus({ preventScroll: true });
    }),
  );
}

/** Whether no specific element has the focus. */
export function isFocusLost(): boolean {
  return document.activeElement === null || isNowhere(document.activeElement);
}

/** Whether the target is the body or the page content, so that keys apply to the page. */
export function isNowhere(target: EventTarget | null): boolean {
  return target === document.body || (target instanceof Element && target.id === "content");
}
