import { didYouMean } from "../../../server/domain/did-you-mean.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { Failure } from "../../terminal/failure.ts";
import { listsTriggers, triggersAnswer } from "./trigger-answers.ts";

/** Resolves a trigger slug or an endpoint. Slugs take precedence, as in `triggers url`. */
export async function findTriggerOrEndpoint(
  api: ApiClient,
  given: string,
): Promise<{ trigger: string } | { endpoint: string }> {
  const { data } = await api.request({ path: "/triggers", answer: triggersAnswer });
  if (data.some(({ slug }) => slug === given)) return { trigger: given };
  if (data.some(({ endpoint }) => endpoint === given)) return { endpoint: given };
  const hint = didYouMean(
    given,
    data.flatMap(({ slug, endpoint }) => [slug, endpoint]),
  );
  throw new Failure(`Unknown trigger or endpoint ${JSON.stringify(given)}.${hint}`, {
    code: "not_found",
    fix: listsTriggers,
  });
}
