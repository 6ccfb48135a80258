const type = "signalbox:show-node";

/**
 * Brings a node of the canvas into view, if a canvas is on the page. A link to the node that is open already changes
 * nothing in the URL: this moves the canvas back to it.
 */
export function showNode(id: string): void {
  dispatchEvent(new CustomEvent(type, { detail: id }));
}

/** Calls the listener with the id of each node to show. Returns the way to stop. */
export function onShowNode(listener: (id: string) => void): () => void {
  const handle = (event: Event) => {
    if (event instanceof CustomEvent && typeof event.detail === "string") listener(event.detail);
  };
  addEventListener(type, handle);
  return () => removeEventListener(type, handle);
}
