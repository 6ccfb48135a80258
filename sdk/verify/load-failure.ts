/** By the code of the system error. */
const reasons: readonly [pattern: RegExp, words: string][] = [
  [/^(?:ENOTFOUND|EAI_)/, "the host name was not found"],
  [/^ECONNREFUSED$/, "the connection was refused"],
  [/^(?:ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, "the host is unreachable"],
  [/^ETIMEDOUT$|_TIMEOUT$/, "no response in time"],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "the connection was lost"],
  [/CERT|TLS|SSL|^EPROTO$|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_CA$/, "the TLS connection failed"],
];

/**
 * The reason why a document of a sender could not be loaded, from an error of `fetch`. For an error of the system it is
 * words and the code: the sender must not learn the addresses in its message. Other errors have their message.
 */
export function describeLoadFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no response in time";
  // `fetch` wraps the error of the system.
  if (error.cause instanceof Error) return describeLoadFailure(error.cause);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const known = reasons.find(([pattern]) => pattern.test(code));
  if (known) return `${known[1]} (${code})`;
  return "syscall" in error ? `no connection (${code})` : error.message;
}
