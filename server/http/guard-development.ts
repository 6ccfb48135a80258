import { refuseCrossSite } from "../auth/refuse-cross-site.ts";
import { AppError } from "../contract/app-error.ts";
import type { IngestRequest } from "../ingest/ingest-request.ts";
import { answerProblem } from "../ingest/respond.ts";
import type { Ingest } from "./ingest-door.ts";

/**
 * In development webhooks need no key, so no page that a browser on this machine shows may send one: neither from another site, nor under a
 * foreign name that was pointed at this machine (DNS rebinding). Such requests get 403 and are not recorded. `ownHost`: that of the base URL.
 */
export function guardDevelopment(ingest: Ingest, ownHost: string | null): Ingest {
  return async (request) => {
    try {
      refuseCrossSite({ url: "http://localhost/", headers: headersOf(request) }, ownHost);
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
