/** JWTs in a header. */

export const maxToken = 8192;

/**
 * The JWTs of the scheme Bearer in a header, which can have other credentials, such as a webhook key. `isBare`: the
 * header can also have the JWT alone.
 */
export function findTokens(header: string, { isBare = false } = {}): string[] {
  const pattern = isBare
    ? /^\s*(?:bearer\s+)?([\w-]+\.[\w-]+\.[\w-]*)\s*$/i
    : /^\s*bearer\s+([\w-]+\.[\w-]+\.[\w-]*)\s*$/i;
  return header.split(",").flatMap((part) => pattern.exec(part)?.[1] ?? []);
}
