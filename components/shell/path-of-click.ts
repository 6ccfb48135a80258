/**
 * The path that a click opens, if it opens a page of this app in this tab; otherwise `null`. A link with `data-shallow`
 * only changes the URL of the current page (the canvas opens its sheets this way), and needs no service.
 */
export function pathOfClick(event: MouseEvent, here: { origin: string }): string | null {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return null;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (
    !(link instanceof HTMLAnchorElement) ||
    link.matches("[download], [data-shallow]") ||
    (link.target !== "" && link.target !== "_self")
  )
    return null;
  const url = new URL(link.href);
  if (url.origin !== here.origin) return null;
  return url.pathname + url.search + url.hash;
}
