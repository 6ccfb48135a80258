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
