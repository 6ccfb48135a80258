import type { Term } from "./read-list.ts";

/** The terms of each field of a filter. `since` and `until` are bounds of the list instead. */
export type TermTable<Filter, Source> = {
  [Field in Exclude<keyof Filter, "since" | "until">]-?: (
    value: Exclude<Filter[Field], undefined>,
    source: Source,
  ) => Term[];
};

/** The terms of the given fields: those with an index in the order of the table, then the others, slow ones last. */
export function toTerms<Filter, Source>(table: TermTable<Filter, Source>, filter: Filter, source: Source): Term[] {
  const fields = Object.keys(table) as Exclude<keyof Filter, "since" | "until">[];
  const terms = fields.flatMap((field) => {
    const value = filter[field] as Exclude<Filter[typeof field], undefined> | undefined;
    return value === undefined ? [] : table[field](value, source);
  });
  return terms.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ index, isSlow }: Term): number {
  if (index !== undefined) return 0;
  return isSlow ? 2 : 1;
}
