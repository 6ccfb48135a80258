/** Routes a request by its target as sent, without decoding or normalizing it: a path that would need it is rejected. */
export type Destination =
  | { to: "ingest"; target: string }
  | { to: "rest" | "trpc" | "auth" | "pages"; target: string }
  | { to: "rejection"; code: "invalid_path" | "not_found"; detail: string };

/** Reads a request target (RFC 9112, 3.2): origin form, or absolute form, which is reduced to it. */
export function findDestination(requestTarget: string): Destination {
  if (requestTarget.startsWith("/triggers/")) return { to: "ingest", target: requestTarget };
  const target = toOriginForm(requestTarget);
  const [path = ""] = target.split("?", 1);
  if (path === "/triggers" || path.startsWith("/triggers/")) return { to: "ingest", target };
  if (!path.startsWith("/") || path.includes("#")) return reject("invalid_path", "The request target is not a path.");
  if (path.includes("\\")) return reject("not_found", "The path contains a backslash.");
  if (path.includes("//")) return reject("not_found", "The path contains two slashes in a row.");
  const decoded = decode(path);
  if (decoded === null) return reject("invalid_path", "The path has a percent escape that does not decode to UTF-8.");
  if (/[\0\\]|\/\//.test(decoded))
    return reject("not_found", "The path contains an escape that no route of this service has.");
  if (isTriggers(decoded))
    return reject("not_found", "Send webhooks to /triggers/<endpoint>, without escapes and without dot segments.");
  if (isRest(path)) return { to: "rest", target };
  if (path.startsWith("/api/auth/")) return { to: "auth", target };
  return { to: path === "/api/trpc" || path.startsWith("/api/trpc/") ? "trpc" : "pages", target };
}

/** Matches the paths of a route: `{name}` is one segment, `{name+}` the rest of the path. */
export function pathPattern(path: string): RegExp {
  const source = path
    .replaceAll(".", "\\.")
    .replaceAll(/\{\w+\}/g, "([^/]+)")
    .replaceAll(/\{\w+\+\}/g, "(.+)");
  return new RegExp(`^${source}$`);
}

const restPaths = new Set(["/api/v1", "/healthz", "/readyz", "/metrics", "/mcp"]);

function isRest(path: string): boolean {
  return path.startsWith("/api/v1/") || restPaths.has(path);
}

/** The handler of the pages might normalize such a path, and so route it to the triggers a second time. */
function isTriggers(decoded: string): boolean {
  const segments: string[] = [];
  for (const segment of decoded.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "." && segment !== "") segments.push(segment);
  }
  return segments[0] === "triggers";
}

function toOriginForm(target: string): string {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target);
  if (!absolute) return target;
  const rest = target.slice(absolute[0].length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

function reject(code: "invalid_path" | "not_found", detail: string): Destination {
  return { to: "rejection", code, detail };
}
