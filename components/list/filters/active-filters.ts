import { isTimestamp } from "../../../server/contract/list.ts";
import { formatUtc, formatUtcMinute } from "../../../server/shared/format.ts";

/** A filter that is set, and the label of its chip. */
export interface ActiveFilter<Name extends string = string> {
  name: Name;
  label: string;
}

/** How each filter is in the URL of the list. */
export function parsersOf<Fields extends Readonly<Record<string, { parser: unknown }>>>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, { parser }]) => [name, parser])) as {
    [Name in keyof Fields]: Fields[Name]["parser"];
  };
}

/** A minimum of 0 is a filter, too. */
export function isSet(value: unknown): boolean {
  return value === 0 || Boolean(value);
}

export function describeActive<Name extends string>(
  fields: Readonly<Record<Name, { label: (value: string) => string }>>,
  state: Readonly<Record<Name, unknown>>,
): ActiveFilter<Name>[] {
  const names = Object.keys(fields) as Name[];
  return names
    .filter((name) => isSet(state[name]))
    .map((name) => ({ name, label: fields[name].label(String(state[name])) }));
}

/** `2026-11-21 10:00 UTC`, with seconds if there are any. A text that is no time is quoted. */
export function formatFilterTime(time: string): string {
  if (!isTimestamp(time)) return `“${time}”`;
  const ms = Date.parse(time);
  return ms % 60_000 === 0 ? formatUtcMinute(ms) : formatUtc(new Date(ms).toISOString());
}
