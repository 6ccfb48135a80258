/** Carries a request to the REST API, wherever that is. */
export type ApiTransport = (request: Request) => Promise<Response>;
