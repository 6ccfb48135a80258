/** Dispatched on the window when Next begins to load another page, for any link, key or search result. */
export const navigationStart = "signalbox:navigation-start";

/** Next calls this export of this file. */
export function onRouterTransitionStart(url: string): void {
  // Next calls it in a transition, which would delay updates of the state until the page is there.
  setTimeout(() => dispatchEvent(new CustomEvent(navigationStart, { detail: url })));
}
