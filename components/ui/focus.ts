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

/** Whether a key event belongs to a field, a menu or a dialog, and is not a page shortcut. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.isContentEditable ||
    target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button])")
  )
    return true;
  return target.closest("[role=menu], [role=listbox], [role=tablist], dialog") !== null;
}
