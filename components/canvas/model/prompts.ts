import { parseNodeId } from "./node-id.ts";
import type { TriggerNode } from "./build-model.ts";

/** What agents are asked when a trigger fires, one for each agent that it starts. */
export function promptsOf({
  attachments,
}: Pick<TriggerNode, "attachments">): { target: string; agent: string; words: string }[] {
  return attachments.flatMap(({ target, prompt }) =>
    prompt ? [{ target, agent: parseNodeId(target)?.id ?? target, words: promptWords(prompt) }] : [],
  );
}

/** `New ticket from {{ customer.email }}`, in one line. */
function promptWords(prompt: NonNullable<TriggerNode["attachments"][number]["prompt"]>): string {
  return prompt.kind === "template" ? prompt.text.replaceAll(/\s+/g, " ").trim() : "made by a function";
}
