import { didYouMean } from "../../server/domain/did-you-mean.ts";
import { Failure } from "../terminal/failure.ts";

/**
 * Runs a request that names an id. Where the service does not know it, the failure also says which of the ids that are
 * there was perhaps meant: one that contains what was given (ids are often copied in part), else the nearest.
 */
export async function withSuggestedId<T>(p: {
  id: string;
  request: () => Promise<T>;
  knownIds: () => Promise<string[]>;
}): Promise<T> {
  try {
    return await p.request();
  } catch (error) {
    if (!(error instanceof Failure) || error.details.code !== "not_found") throw error;
    const known = await p.knownIds().catch(() => []);
    throw new Failure(`${error.message}${suggestId(p.id, known)}`, error.details);
  }
}

function suggestId(given: string, known: readonly string[]): string {
  const containing = given.length >= 4 ? known.filter((id) => id.toLowerCase().includes(given.toLowerCase())) : [];
  const [only] = containing;
  return containing.length === 1 && only ? ` Did you mean "${only}"?` : didYouMean(given, known);
}
