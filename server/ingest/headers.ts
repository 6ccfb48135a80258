/** Headers by name in lower case, each with its values in the order sent. */
export type HeaderMap = ReadonlyMap<string, readonly string[]>;

export function collectHeaders(headers: readonly (readonly [name: string, value: string])[]): HeaderMap {
  const collected = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    const values = collected.get(lower);
    if (values) values.push(value);
    else collected.set(lower, [value]);
  }
  return collected;
}
