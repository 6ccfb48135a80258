/** Sends a request to the REST API of a local or remote service. */
export type ApiTransport = (request: Request) => Promise<Response>;
