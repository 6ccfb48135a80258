/**
 * Gives the focus a home when what had it is gone (a dialog without an opener, a row of the page before): the page's content, so that the
 * next Tab goes on from there and a screen reader says where one is.
 */
export function keepFocus(): void {
  // Once what replaces it is drawn, and has taken the focus if it wants it.
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (isFocusLost()) document.getElementById("content")?.focus({ preventScroll: true });
  }));
}

export function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}
