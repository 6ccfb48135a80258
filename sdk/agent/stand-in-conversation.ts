/** A message of a prompt, as the AI SDK hands it to models. */
export interface ModelPromptMessage {
  readonly role: string;
  readonly content: unknown;
}

/** What a stand-in knows of the run that it answers. */
export interface StandInConversation {
  /** 1 for the first answer of the run, 2 for the next, and so on. */
  readonly turn: number;
  /** What the agent was asked, without the delimiters around what came from the payload. */
  readonly prompt: string;
  /**
   * What stands in the prompt's places, in their order, e.g. of `"{{ issue.number }}: {{ issue.title }}"` the number
   * and the title. Places that are empty are left out.
   */
  readonly payload: readonly string[];
  /** What calls of tools have given so far, in their order. */
  readonly results: readonly StandInToolResult[];
}

/** `output`: what the tool returned; or, `isError`, why it failed or was not called. */
export interface StandInToolResult {
  readonly tool: string;
  readonly output: unknown;
  readonly isError: boolean;
}

/** The engine makes delimiters of sixteen digits that the payload does not hold: the first that opens is its own. */
const delimited = /<payload-([0-9a-f]{16})>([^]*?)<\/payload-\1>/g;

/** What stands in the messages that a model gets. */
export function readConversation(messages: readonly ModelPromptMessage[]): StandInConversation {
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
 * The engine delimits what a tool returned; all but a string it returned as JSON. A string that is JSON is read as
 * JSON, too.
 */
const delimitedResult = /<tool-result-([0-9a-f]{16})>([^]*?)<\/tool-result-\1>/;

function toResult(part: Record<string, unknown>): StandInToolResult[] {
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
