import { parse } from "hono/utils/cookie";
import { personSessionCookie } from "../../domain/requests/session-cookie.ts";

/** Has the API token of a browser that signed in without an account. Scripts and forms of other sites cannot use it. */
export const tokenSessionCookie = "signalbox_session";

/** The value of a header by its lower-case name. */
type ReadHeader = (name: "authorization" | "x-api-key" | "cookie") => string | null;

/** The keys in the headers, valid or not. */
export function keysIn(header: ReadHeader): string[] {
  const authorization = header("authorization") ?? "";
  const [scheme = ""] = authorization.split(" ", 1);
  // Credentials of other schemes are not keys: a proxy in front may require its own password.
  const bearer = scheme.toLowerCase() === "bearer" ? [authorization.slice(scheme.length).trim()] : [];
  const apiKey = header("x-api-key");
  return [...new Set([...bearer, ...(apiKey === null ? [] : [apiKey])])];
}

/** What decides who sent a request: keys, or else the cookies of a session. Valid or not. */
export function credentialsIn(header: ReadHeader): string[] {
  const keys = keysIn(header);
  if (keys.length > 0) return keys;
  const cookies = parse(header("cookie") ?? "");
  return [tokenSessionCookie, personSessionCookie].flatMap((name) => cookies[name] ?? []);
}
