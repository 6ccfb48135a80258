/**
 * Gives the focus a home when what had it is gone (a dialog without an opener, a row of the page before): the page's
 * content, so that the next Tab goes on from there and a screen reader says where one is.
 */
export function keepFocus(): void {
  // Once what replaces it is drawn, and has taken the focus if it wants it.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (isFocusLost()) document.getElementById("content")?.focus({ preventScroll: true });
    }),
  );
}

/** Whether the focus is nowhere in particular. */
export function isFocusLost(): boolean {
  return document.activeElement === null || isNowhere(document.activeElement);
}

/** The page as a whole, or its content: keys that go there are meant for what the page shows. */
export function isNowhere(target: EventTarget | null): boolean {
  return target === document.body || (target instanceof Element && target.id === "content");
}
