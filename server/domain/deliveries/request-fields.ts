import type { FieldPart } from "../../contract/request-parts.ts";
import { type FieldValues, firstValues, headersFor, type RecordedHeaders } from "./header-values.ts";
import { queryFor, readQuery } from "./query-values.ts";

/** The parts of a request beside its body, as the schemas of triggers read them. A delivery is recorded with both. */
export type RequestFields = Readonly<Record<FieldPart, Readonly<FieldValues>>>;

/** The fields for a comparison with fixed values. The query is read only if a trigger needs it. */
export function requestFields(recorded: RecordedHeaders): RequestFields {
  let query: FieldValues | null = null;
  return {
    headers: firstValues(recorded),
    get query() {
      return (query ??= readQuery(recorded));
    },
  };
}

/** The fields of one part for a schema that takes those in `lists` as arrays. */
export function fieldsFor(part: FieldPart, recorded: RecordedHeaders, lists: readonly string[]): Readonly<FieldValues> {
  return part === "headers" ? headersFor(recorded, lists) : queryFor(recorded, lists);
}
