import {
  parseAsBoolean,
  parseAsFloat,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  type SingleParserBuilder,
} from "nuqs/server";
import { z } from "zod";
import { isTimestamp } from "../../../server/contract/list.ts";
import { formatUtc, formatUtcMinute } from "../../../server/shared/format.ts";

/** A filter that is set, and the label of its chip. */
export interface ActiveFilter<Name extends string = string> {
  name: Name;
  label: string;
}

/** What a page adds to a field of a filter. */
export interface FieldOfPage {
  /** The label of its chip. */
  label: (value: string) => string;
  /** Older rows can begin to satisfy it. */
  isMutable?: boolean;
}

type Parsers<Fields> = { [Name in keyof Fields]-?: SingleParserBuilder<InUrl<Exclude<Fields[Name], undefined>>> };
type InUrl<Value> = Value extends true ? boolean : Value;

/** How each field of a filter of the API is in the URL of its list. */
export function parsersOf<Filter extends z.ZodObject<Record<string, z.ZodOptional<z.ZodType>>>>({ shape }: Filter) {
  const parsers = Object.entries(shape).map(([name, field]) => [name, parserOf(field.unwrap())]);
  return Object.fromEntries(parsers) as Parsers<z.input<Filter>>;
}

function parserOf(schema: z.ZodType) {
  if (schema instanceof z.ZodEnum) return parseAsStringLiteral(schema.options.map(String));
  if (schema instanceof z.ZodLiteral) return parseAsBoolean;
  if (schema instanceof z.ZodNumber) return schema.isInt ? parseAsInteger : parseAsFloat;
  return parseAsString;
}

/** Whether no older row can begin to match the filter. */
export function growsOnTop<Name extends string>(
  fields: Readonly<Record<Name, FieldOfPage>>,
  filter: Readonly<Partial<Record<Name, unknown>>>,
): boolean {
  return !Object.entries(fields as Record<string, FieldOfPage>).some(
    ([name, { isMutable }]) => isMutable && isSet(filter[name as Name]),
  );
}

/** A minimum of 0 is a filter, too. */
export function isSet(value: unknown): boolean {
  return value === 0 || Boolean(value);
}

export function describeActive<Name extends string>(
  fields: Readonly<Record<Name, FieldOfPage>>,
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
