/** The origin of a request, as far as the HTTP server trusts it. */
export interface Client {
  /** Network address; `null`: not known, or this very process. */
  address: string | null;
  /** Whether it came by TLS, if only to a proxy that is trusted. */
  isSecure: boolean;
  /**
   * Whether the request was made on this machine (`isLocalRequest`). Development is open to such requests alone.
   * Default: false.
   */
  isLocal?: boolean;
  /** By which the log and the answer (`Signalbox-Request`) name this request. */
  requestId?: string;
}

export const unknownClient: Client = { address: null, isSecure: false };
