/** One incoming webhook, independent of any HTTP library. */
export interface IngestRequest {
  method: string;
  /** The request target as sent, in origin form: path and query, undecoded, e.g. `/triggers/billing?token=…`. */
  target: string;
  /** Name and value as sent, in order; duplicates stay. */
  headers: readonly (readonly [name: string, value: string])[];
  /**
   * Reads the body, chunk by chunk, until its end or until `take` returns false. Not read before the pipeline asks for
   * it. Rejects when the sender goes away, and with AppError `request_timeout` when it takes too long.
   */
  readBody(take: (chunk: Uint8Array) => boolean): Promise<void>;
}

export interface IngestResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body was not read completely: the HTTP server closes the connection after the response. */
  closesConnection: boolean;
}
