const origin = "http://pages.invalid";
const maxLength = 4_000;

/**
 * Parses `next`, the page to open after signing in. Returns a path of this service with its query, and "/" for anything
 * else. Browsers drop tabs and line breaks from a URL and read `\` as `/`, so `/<tab>/evil.test` is another site to
 * them: such characters are rejected, not repaired.
 */
export function parseNextPage(next: string | null | undefined): string {
  // oxlint-disable-next-line no-control-regex -- browsers drop or rewrite these characters.
  if (!next?.startsWith("/") || next.length > maxLength || /[\u0000-\u001f\u007f\\]/.test(next)) return "/";
  const url = URL.parse(next, origin);
  // Dot segments can leave a path with two leading slashes, which names a host.
  if (url?.origin !== origin || url.pathname.startsWith("//") || url.pathname === "/sign-in") return "/";
  return url.pathname + url.search;
}
