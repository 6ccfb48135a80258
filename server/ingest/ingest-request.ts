/** One inbound webhook, free of any HTTP library: what a door hands to the pipeline. */
export interface IngestRequest {
  method: string;
  /** The request target as sent, in origin form: path and query, undecoded, e.g. `/triggers/billing?token=…`. */
  target: string;
  /** Name and value as sent, in order; duplicates stay. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Not read before the pipeline asks for it, and not further than the limit. Throws when the sender goes away. */
  body: AsyncIterable<Uint8Array>;
}

export interface IngestAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body was not read to its end: the door closes the connection after answering. */
  closesConnection: boolean;
}
