import type { ApiClient } from "../../api/api-client.ts";
import { createdKeyAnswer, keysAnswer } from "./key-answers.ts";

/** Creates a webhook key for all endpoints if the store has none. Returns its id, or `null` if there are keys. */
export async function makeFirstKey(api: ApiClient): Promise<string | null> {
  const { data } = await api.request({ path: "/keys", answer: keysAnswer });
  if (data.some(({ kind }) => kind === "webhook")) return null;
  const body = { kind: "webhook", name: "first key", endpoints: null, expiresAt: null };
  return (await api.request({ method: "POST", path: "/keys", body, answer: createdKeyAnswer })).id;
}
