const controls = "input, textarea, select, button";

/** Focuses the field of a pointer, or the nearest visible parent. */
export function focusField(form: HTMLElement, pointer: string): void {
  const fields = [...form.querySelectorAll<HTMLElement>("[data-pointer]")];
  for (let at: string | null = pointer; at !== null; at = parentOf(at)) {
    const field = fields.find((one) => one.dataset["pointer"] === at);
    if (!field) continue;
    for (let around: HTMLElement | null = field; around; around = around.parentElement)
      if (around instanceof HTMLDetailsElement) around.open = true;
    // The buttons of a label come before its input.
    const control =
      field.querySelector<HTMLElement>("[aria-invalid], [data-invalid]") ??
      field.querySelector<HTMLElement>("input, textarea, select, [role=switch]") ??
      field.querySelector<HTMLElement>(controls);
    centerInScroller(field);
    (control?.matches(controls) ? control : control?.querySelector<HTMLElement>(controls))?.focus({
      preventScroll: true,
    });
    return;
  }
}

/** Scrolls only the nearest scroll container. `scrollIntoView` would scroll all containers around it, too. */
function centerInScroller(field: HTMLElement): void {
  for (let around = field.parentElement; around; around = around.parentElement) {
    if (around.scrollHeight <= around.clientHeight || !/auto|scroll/.test(getComputedStyle(around).overflowY)) continue;
    const inner = field.getBoundingClientRect();
    around.scrollTop +=
      inner.top - around.getBoundingClientRect().top - Math.max(0, (around.clientHeight - inner.height) / 2);
    return;
  }
}

/** Focuses the first invalid field, in the order of the form. */
export function focusFirstField(form: HTMLElement, pointers: readonly string[]): void {
  const order = [...form.querySelectorAll<HTMLElement>("[data-pointer]")].map(
    (field) => field.dataset["pointer"] ?? "",
  );
  const rank = (pointer: string) => {
    const at = order.indexOf(pointer);
    return at === -1 ? order.length : at;
  };
  const [first] = [...pointers].sort((a, b) => rank(a) - rank(b));
  if (first !== undefined) focusField(form, first);
}

function parentOf(pointer: string): string | null {
  return pointer === "" ? null : pointer.slice(0, pointer.lastIndexOf("/"));
}
