/**
 * The selection after a click on a checkbox. With a range (Shift), all rows from the last clicked one to this one get
 * the same state.
 */
export function toggleSelection(click: {
  keys: readonly string[];
  selected: ReadonlySet<string>;
  key: string;
  last: string | null;
  isRange: boolean;
}): ReadonlySet<string> {
  const next = new Set(click.selected);
  const isOn = !click.selected.has(click.key);
  for (const key of click.isRange ? between(click.keys, click.last ?? click.key, click.key) : [click.key]) {
    if (isOn) next.add(key);
    else next.delete(key);
  }
  return next;
}

function between(keys: readonly string[], one: string, other: string): readonly string[] {
  const indexes = [keys.indexOf(one), keys.indexOf(other)].sort((a, b) => a - b);
  const [from = -1, to = -1] = indexes;
  return from < 0 ? [other] : keys.slice(from, to + 1);
}
