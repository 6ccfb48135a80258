/** The query of a URL as text. Safe in a browser. */

export interface Parameter {
  name: string;
  value: string;
  /** As sent. */
  pair: string;
}

/** The parameters in their order, decoded as forms are. */
export function splitQuery(query: string): Parameter[] {
  return query.split("&").flatMap((pair): Parameter[] => {
    if (pair === "") return [];
    const [name = ""] = pair.split("=", 1);
    return [{ name: decode(name), value: decode(pair.slice(name.length + 1)), pair }];
  });
}

/** `+` is a space. Text whose bytes are not UTF-8 stays as sent: a replacement character would change it in silence. */
function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " ").replaceAll(/%(?![0-9a-f]{2})/gi, "%25"));
  } catch {
    return text;
  }
}

/** The query with these parameters. A repeated one has an array of values. */
export function printQuery(parameters: Readonly<Record<string, string | readonly string[]>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams(pairs).toString();
}

/** A query that a person typed: without its question mark, and characters that a URL cannot have are escaped. */
export function cleanQuery(text: string): string {
  return text
    .toWellFormed()
    .replace(/^\?/, "")
    .replaceAll(/[^\x21\x22\x24-\x7e]/gu, encodeURIComponent);
}

/** One query with the parameters of all. */
export function joinQueries(...queries: readonly string[]): string {
  return queries.filter((query) => query !== "").join("&");
}
