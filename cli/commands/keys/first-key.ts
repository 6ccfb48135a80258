import type { ApiClient } from "../../api/api-client.ts";
import { createdKeyAnswer, keysAnswer } from "./key-answers.ts";

/**
 * Makes a webhook key for every endpoint where there is none yet, so that webhooks can be sent. Returns its id, or
 * `null` where there were keys.
 */
export async function makeFirstKey(api: ApiClient): Promise<string | null> {
  const { data } = await api.request({ path: "/keys", answer: keysAnswer });
  if (data.some(({ kind }) => kind === "webhook")) return null;
  const body = { kind: "webhook", name: "first key", endpoints: null, expiresAt: null };
  return (await api.request({ method: "POST", path: "/keys", body, answer: createdKeyAnswer })).id;
}
