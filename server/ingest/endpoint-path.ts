/** The endpoint in the path of a request. `raw` is the part after `/triggers/`, as sent. */
export type EndpointPath = { kind: "endpoint"; endpoint: string; raw: string } | { kind: "unreadable"; raw: string };

const prefix = "/triggers/";

/**
 * The endpoint that a path names: decoded once, strictly, and otherwise left as it is, so that it can be compared
 * exactly. An escaped slash never becomes a separator: such a path names no endpoint.
 */
export function readEndpointPath(path: string): EndpointPath {
  const raw = path.startsWith(prefix) ? path.slice(prefix.length) : "";
  try {
    const segments = raw.split("/").map((segment) => decodeURIComponent(segment));
    const isPlain = segments.every((segment) => !/[/\0]/.test(segment));
    return { kind: "endpoint", endpoint: isPlain ? segments.join("/") : "", raw };
  } catch {
    return { kind: "unreadable", raw };
  }
}
