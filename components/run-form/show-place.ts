const controls = "input, textarea, select, button";

/** Focuses the field of a pointer, or the nearest visible parent. */
export function showPlace(form: HTMLElement, pointer: string): void {
  const places = [...form.querySelectorAll<HTMLElement>("[data-place]")];
  for (let at: string | null = pointer; at !== null; at = parentOf(at)) {
    const place = places.find((one) => one.dataset["place"] === at);
    if (!place) continue;
    for (let around: HTMLElement | null = place; around; around = around.parentElement)
      if (around instanceof HTMLDetailsElement) around.open = true;
    // A label's buttons come before the field itself.
    const field =
      place.querySelector<HTMLElement>("[aria-invalid], [data-invalid]") ??
      place.querySelector<HTMLElement>("input, textarea, select, [role=switch]") ??
      place.querySelector<HTMLElement>(controls);
    centerInScroller(place);
    (field?.matches(controls) ? field : field?.querySelector<HTMLElement>(controls))?.focus({ preventScroll: true });
    return;
  }
}

/** Scrolls only the nearest scroll container. `scrollIntoView` would scroll all containers around it, too. */
function centerInScroller(place: HTMLElement): void {
  for (let around = place.parentElement; around; around = around.parentElement) {
    const isPage = around === document.scrollingElement;
    if (
      around.scrollHeight <= around.clientHeight ||
      !(isPage || /auto|scroll/.test(getComputedStyle(around).overflowY))
    )
      continue;
    const inner = place.getBoundingClientRect();
    const top = isPage ? 0 : around.getBoundingClientRect().top;
    around.scrollTop += inner.top - top - Math.max(0, (around.clientHeight - inner.height) / 2);
    return;
  }
}

/** Focuses the first invalid field, in the order of the form. */
export function showFirst(form: HTMLElement, pointers: readonly string[]): void {
  const order = [...form.querySelectorAll<HTMLElement>("[data-place]")].map((place) => place.dataset["place"] ?? "");
  const rank = (pointer: string) => {
    const at = order.indexOf(pointer);
    return at === -1 ? order.length : at;
  };
  const [first] = [...pointers].sort((a, b) => rank(a) - rank(b));
  if (first !== undefined) showPlace(form, first);
}

function parentOf(pointer: string): string | null {
  return pointer === "" ? null : pointer.slice(0, pointer.lastIndexOf("/"));
}
