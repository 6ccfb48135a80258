/** A message of a prompt, as the AI SDK passes it to models. */
export interface ModelPromptMessage {
  readonly role: string;
  readonly content: unknown;
}

/** The conversation of a run so far. */
export interface ModelConversation {
  /** Number of the next answer in the run: 1 for the first. */
  readonly turn: number;
  /** The agent's prompt, without the delimiters around values of the payload. */
  readonly prompt: string;
  /**
   * The values that fill the prompt's placeholders, in order. For `"{{ issue.number }}: {{ issue.title }}"`: the number
   * and the title. Empty values are left out.
   */
  readonly payload: readonly string[];
  /** The results of the tool calls so far, in order. */
  readonly results: readonly ModelToolResult[];
}

/** The result of a tool call. If `isError`, `output` is the reason why the call failed or was not executed. */
export interface ModelToolResult {
  readonly tool: string;
  readonly output: unknown;
  readonly isError: boolean;
}

/** The engine creates delimiters of 16 digits that do not occur in the payload: the first one that opens is genuine. */
const delimited = /<payload-([0-9a-f]{16})>([^]*?)<\/payload-\1>/g;

/** Reads the conversation from the messages that a model receives. */
export function readConversation(messages: readonly ModelPromptMessage[]): ModelConversation {
  const asked = textOf(messages.find(({ role }) => role === "user")?.content);
  return {
    turn: 1 + messages.filter(({ role }) => role === "assistant").length,
    prompt: asked.replaceAll(delimited, (_, __, text: string) => text),
    payload: [...asked.matchAll(delimited)].map(([, , text = ""]) => text),
    results: messages.flatMap(({ role, content }) => (role === "tool" ? partsOf(content).flatMap(toResult) : [])),
  };
}

function textOf(content: unknown): string {
  return partsOf(content)
    .map((part) => (part["type"] === "text" ? String(part["text"]) : ""))
    .join("");
}

/**
 * The engine puts delimiters around the result of a tool. It writes every value except a string as JSON. A string that
 * contains JSON is parsed, too.
 */
const delimitedResult = /<tool-result-([0-9a-f]{16})>([^]*?)<\/tool-result-\1>/;

function toResult(part: Record<string, unknown>): ModelToolResult[] {
  const { type, toolName, output } = part;
  if (type !== "tool-result" || !isRecord(output)) return [];
  const kind = String(output["type"]);
  const isError = kind.startsWith("error") || kind === "execution-denied";
  return [{ tool: String(toolName), output: readResult(output["value"], isError), isError }];
}

function readResult(value: unknown, isError: boolean): unknown {
  if (typeof value !== "string") return value;
  if (isError) return value.replace(delimitedResult, (_, __, text: string) => text);
  const text = delimitedResult.exec(value)?.[2] ?? value;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function partsOf(content: unknown): Record<string, unknown>[] {
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
