import type { HeaderMap } from "./headers.ts";

const queryNames = new Set(["token", "api_key"]);

/**
 * Every key that a request presents, in each of its forms: `?token=`, `?api_key=`, `Authorization: Bearer` and
 * `x-api-key`. All count, also equal ones and empty ones: where several are sent, each must be valid.
 */
export function presentedKeys(query: string, headers: HeaderMap): string[] {
  const inQuery = query === "" ? [] : Array.from(new URLSearchParams(query));
  return [
    ...inQuery.flatMap(([name, value]) => (queryNames.has(name) ? [value] : [])),
    ...(headers.get("authorization") ?? []).flatMap(bearerTokens),
    ...(headers.get("x-api-key") ?? []).flatMap((value) => value.split(",").map((key) => key.trim())),
  ];
}

/** Keys that must not be stored, also as they appear in the query, including escapes. */
export function presentedSecrets(query: string, presented: readonly string[]): string[] {
  if (query === "") return [...new Set(presented)];
  const asSent = query.split("&").flatMap((pair) => {
    const [name = "", ...value] = pair.split("=");
    return queryNames.has(new URLSearchParams(`${name}=`).keys().next().value ?? "") ? [value.join("=")] : [];
  });
  return [...new Set([...presented, ...asSent])];
}

/** A header that came twice may reach us joined by a comma. */
function bearerTokens(value: string): string[] {
  if (!/^\s*bearer(?:\s|$)/i.test(value)) return [];
  return value.split(/,(?=\s*bearer\s)/i).map((part) => part.replace(/^\s*bearer/i, "").trim());
}
