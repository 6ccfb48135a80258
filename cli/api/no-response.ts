import { Failure } from "../terminal/failure.ts";

/** A part of a connection that can fail. `title` completes `<url> …`. */
interface Fault {
  code: string;
  title: string;
  fix: string;
}

const checksAddress = "Check the address, and that the service runs. `signalbox dev` or `signalbox start` starts it.";

const faults = {
  rejected: { code: "connection_refused", title: "refuses the connection", fix: checksAddress },
  host: {
    code: "unknown_host",
    title: "has an unknown host name",
    fix: "Check the host name in the address, and the DNS of this machine.",
  },
  network: {
    code: "network_unreachable",
    title: "is in a network that this machine cannot reach",
    fix: "Check the network of this machine, VPN and firewall.",
  },
  tls: {
    code: "tls_failed",
    title: "has no TLS connection that this machine accepts",
    fix: "Check the certificate, its host name and its date. For a certificate of your own authority, set NODE_EXTRA_CA_CERTS to its file. For a service without TLS, use http://.",
  },
  timeout: {
    code: "timed_out",
    title: "did not respond in time",
    fix: "Check that the service is not overloaded, and that no firewall drops the connection.",
  },
  lost: {
    code: "connection_lost",
    title: "closed the connection without a response",
    fix: "The log of the service may have the reason. A service with TLS needs https:// in the address.",
  },
  http: {
    code: "unexpected_answer",
    title: "does not respond with HTTP",
    fix: "Check that the address is that of a Signalbox service. A service with TLS needs https://.",
  },
  request: {
    code: "invalid_request",
    title: "got no request, because it cannot be sent",
    fix: "Check the headers and the address of the request.",
  },
} satisfies Record<string, Fault>;

const faultOfCode: Record<string, keyof typeof faults> = {
  ECONNREFUSED: "rejected",
  ENOENT: "rejected",
  ENOTFOUND: "host",
  EAI_AGAIN: "host",
  EAI_NODATA: "host",
  ENETUNREACH: "network",
  EHOSTUNREACH: "network",
  ENETDOWN: "network",
  EADDRNOTAVAIL: "network",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  ECONNRESET: "lost",
  EPIPE: "lost",
  UND_ERR_SOCKET: "lost",
  EPROTO: "tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
};

/** The failure for a request without a response: which part of the connection failed, the system's reason, and the fix. */
export function noResponse(url: string, cause: unknown): Failure {
  const { code, reason } = reasonOf(cause);
  const fault = faults[kindOf(code)];
  return new Failure(`${url} ${fault.title}: ${reason}`, { code: fault.code, fix: fault.fix, cause });
}

function kindOf(code: string): keyof typeof faults {
  const known = faultOfCode[code];
  if (known) return known;
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)|_CERT_|_CRL_/.test(code))
    return "tls";
  if (code.startsWith("HPE_")) return "http";
  // Fetch itself rejects such a request: an invalid header, or a port that it forbids.
  return "request";
}

/** Fetch wraps the error of the system. */
function reasonOf(error: unknown): { code: string; reason: string } {
  if (!(error instanceof Error)) return { code: "", reason: String(error) };
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // The parser of HTTP names only some errors by a code.
  const name = error.name === "HTTPParserError" ? "HPE_INVALID" : "";
  const code = "code" in error && typeof error.code === "string" ? error.code : name;
  // Of several addresses, the error has no message of its own.
  const [first] = error instanceof AggregateError ? error.errors : [];
  const message = error.message || (first instanceof Error ? first.message : "") || error.name;
  return { code, reason: code === "" || message.includes(code) ? message : `${message} (${code})` };
}
