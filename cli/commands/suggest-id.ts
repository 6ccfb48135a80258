import { didYouMean } from "../../server/domain/did-you-mean.ts";
import { Failure } from "../terminal/failure.ts";

/**
 * Runs a request with an id. If the id is unknown, the failure suggests an existing one: the only id that contains the
 * given part (ids are often copied in part), otherwise the most similar one.
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
