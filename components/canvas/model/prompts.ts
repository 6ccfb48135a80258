import { parseNodeId } from "./node-id.ts";
import type { TriggerNode } from "./build-model.ts";

/** The prompts that a trigger sends when it fires, one per agent. */
export function promptsOf({
  attachments,
}: Pick<TriggerNode, "attachments">): { target: string; agent: string; words: string }[] {
  return attachments.flatMap(({ target, prompt }) =>
    prompt ? [{ target, agent: parseNodeId(target)?.id ?? target, words: describePrompt(prompt) }] : [],
  );
}

/** `New ticket from {{ customer.email }}`, in one line. */
function describePrompt(prompt: NonNullable<TriggerNode["attachments"][number]["prompt"]>): string {
  return prompt.kind === "template" ? prompt.text.replaceAll(/\s+/g, " ").trim() : "built by a function";
}
