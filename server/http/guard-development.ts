import { rejectCrossSite } from "../auth/refuse-cross-site.ts";
import { AppError } from "../contract/app-error.ts";
import type { IngestAnswer, IngestRequest } from "../ingest/ingest-request.ts";
import { answerProblem } from "../ingest/respond.ts";

/**
 * In development local webhooks need no key, so no page of another site that a browser on this machine shows may send
 * one. Such requests get 403 and are not recorded.
 */
export function guardDevelopment(
  ingest: (request: IngestRequest) => Promise<IngestAnswer>,
): (request: IngestRequest) => Promise<IngestAnswer> {
  return async (request) => {
    try {
      rejectCrossSite({ url: "http://localhost/", headers: headersOf(request) });
    } catch (error) {
      if (error instanceof AppError) return answerProblem({ deliveryId: null, closesConnection: true }, error, []);
      throw error;
    }
    return ingest(request);
  };
}

/** A name that came twice is no name of ours. */
function headersOf(request: IngestRequest): Pick<Headers, "get"> {
  return {
    get(name) {
      const values = request.headers.filter(([sent]) => sent.toLowerCase() === name).map(([, value]) => value);
      return values.length === 0 ? null : values.join(", ");
    },
  };
}
