import { ownHeaders } from "../../contract/own-headers.ts";
import type { FieldValues, RecordedHeaders } from "./header-values.ts";
import { splitQuery } from "../../shared/deliveries/query-text.ts";
import { redacted, redactQuery } from "../privacy/redaction.ts";
import { isSecretParameter } from "../privacy/secret-names.ts";

/** The query of a delivery, which is recorded as sent, as the project's code reads it. */

/** The parameters by name, without credentials and signatures. A repeated one has all its values. */
export function readQuery(headers: RecordedHeaders): FieldValues {
  const text = headers[ownHeaders.query];
  if (text === undefined) return {};
  const shown = splitQuery(text).filter(({ name, value }) => !isSecretParameter(name) && !value.includes(redacted));
  return Object.fromEntries(
    [...Map.groupBy(shown, ({ name }) => name)].map(([name, found]) => {
      const values = found.map(({ value }) => value);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

/** The same for a schema that takes the parameters in `lists` as arrays. */
export function queryFor(headers: RecordedHeaders, lists: readonly string[]): FieldValues {
  const query = readQuery(headers);
  const arrays = lists.flatMap((name): [string, string[]][] => {
    const value = Object.hasOwn(query, name) ? query[name] : undefined;
    return value === undefined ? [] : [[name, [value].flat()]];
  });
  return { ...query, ...Object.fromEntries(arrays) };
}

/** The same query with other parameters. `replace` gets each name and value as the project's code reads them. */
export function mapQuery(
  query: string,
  replace: (name: string, value: string) => { name: string; value: string },
): string {
  return splitQuery(query)
    .map(({ name, value, pair }) => {
      const replaced = replace(name, value);
      if (replaced.name === name && replaced.value === value) return pair;
      const sentName = replaced.name === name ? pair.split("=", 1)[0] : encodeURIComponent(replaced.name);
      return `${sentName}=${encodeURIComponent(replaced.value)}`;
    })
    .join("&");
}

/** A query that a person wrote for a test, as the receiver records it. */
export function recordGivenQuery(query: string): Record<string, string> {
  const text = redactQuery(query.replace(/^\?/, ""), []);
  return text === "" ? {} : { [ownHeaders.query]: text };
}
