/**
 * Who asks. `local`: somebody on this machine in development, or the command line in this process. `token`: an API token. Both may
 * do everything. `webhook`: a webhook key, which reads the runs that it started.
 */
export type Principal = { kind: "local" } | { kind: "token"; keyId: string } | { kind: "webhook"; keyId: string };

/** Says who sent a request to /api or /metrics. Throws AppError `unauthorized` or `forbidden`. */
export type ApiAuthenticator = (request: Request) => Promise<Principal>;

/** What a request needs. `open`: nothing; `own-runs`: any valid key, a webhook key seeing its own runs only; `full`: everything. */
export type Access = "open" | "own-runs" | "full";

export function mayAccess(principal: Principal, access: Access): boolean {
  return access !== "full" || principal.kind !== "webhook";
}

/** The key whose runs alone may be seen; `undefined`: all runs. */
export function visibleToKey(principal: Principal): string | undefined {
  return principal.kind === "webhook" ? principal.keyId : undefined;
}
