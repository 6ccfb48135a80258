const type = "signalbox:show-node";

/**
 * Brings a node into view, if the page has a canvas. Needed because a link to the already opened node does not change
 * the URL.
 */
export function showNode(id: string): void {
  dispatchEvent(new CustomEvent(type, { detail: id }));
}

/** Calls the listener with the id of each node to show. Returns a function that unsubscribes. */
export function onShowNode(listener: (id: string) => void): () => void {
  const handle = (event: Event) => {
    if (event instanceof CustomEvent && typeof event.detail === "string") listener(event.detail);
  };
  addEventListener(type, handle);
  return () => removeEventListener(type, handle);
}
