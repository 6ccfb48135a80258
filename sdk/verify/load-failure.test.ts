import { expect, it } from "vitest";
import { describeLoadFailure } from "./load-failure.ts";

const system = (code: string, message = `connect ${code} 10.0.0.7:443`) =>
  Object.assign(new Error(message), { code, syscall: "connect" });
const fetchFailed = (cause: unknown) => new TypeError("fetch failed", { cause });

it.each<[string, unknown, string]>([
  [
    "an unknown host",
    system("ENOTFOUND", "getaddrinfo ENOTFOUND keys.internal"),
    "the host name was not found (ENOTFOUND)",
  ],
  ["a DNS that does not answer", system("EAI_AGAIN"), "the host name was not found (EAI_AGAIN)"],
  ["a refused connection", system("ECONNREFUSED"), "the connection was refused (ECONNREFUSED)"],
  [
    "several refused addresses",
    Object.assign(new AggregateError([system("ECONNREFUSED")]), { code: "ECONNREFUSED" }),
    "the connection was refused (ECONNREFUSED)",
  ],
  ["an unreachable network", system("ENETUNREACH"), "the host is unreachable (ENETUNREACH)"],
  ["a slow connection", system("UND_ERR_CONNECT_TIMEOUT"), "no response in time (UND_ERR_CONNECT_TIMEOUT)"],
  ["a lost connection", system("ECONNRESET"), "the connection was lost (ECONNRESET)"],
  ["an expired certificate", system("CERT_HAS_EXPIRED"), "the TLS connection failed (CERT_HAS_EXPIRED)"],
  [
    "a foreign certificate",
    system("DEPTH_ZERO_SELF_SIGNED_CERT"),
    "the TLS connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)",
  ],
  ["a missing issuer", system("UNABLE_TO_GET_ISSUER_CERT"), "the TLS connection failed (UNABLE_TO_GET_ISSUER_CERT)"],
  [
    "another host name",
    system("ERR_TLS_CERT_ALTNAME_INVALID"),
    "the TLS connection failed (ERR_TLS_CERT_ALTNAME_INVALID)",
  ],
  ["no TLS", system("EPROTO"), "the TLS connection failed (EPROTO)"],
  ["another error of the system", system("EMFILE"), "no connection (EMFILE)"],
  ["a redirect", new Error("unexpected redirect"), "unexpected redirect"],
])("the cause of a failed fetch is named, without an address: %s", (_, cause, words) => {
  expect(describeLoadFailure(fetchFailed(cause))).toBe(words);
});

it("other failures have their message", () => {
  expect(describeLoadFailure(new DOMException("The operation was aborted", "TimeoutError"))).toBe(
    "no response in time",
  );
  expect(describeLoadFailure(new Error("https://a.example answered with status 503"))).toBe(
    "https://a.example answered with status 503",
  );
  expect(describeLoadFailure("no route")).toBe("no route");
});
