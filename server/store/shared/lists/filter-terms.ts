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
  const rank = ({ index, isSlow }: Term) => (index === undefined ? (isSlow ? 2 : 1) : 0);
  return terms.toSorted((one, other) => rank(one) - rank(other));
}
