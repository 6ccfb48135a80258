/** A line of a stack, or collapsed frames of Node and of packages. */
export type StackPart = { kind: "line"; text: string; isFrame: boolean } | { kind: "folded"; lines: string[] };

/** The lines of a stack without the first ones that repeat `message`. Frames outside of the user's code are collapsed. */
export function foldStack(stack: string, message: string): StackPart[] {
  const parts: StackPart[] = [];
  for (const text of withoutMessage(stack, message)) {
    const isFrame = /^\s+at /.test(text);
    const last = parts.at(-1);
    if (!isFrame || !isForeign(text)) parts.push({ kind: "line", text, isFrame });
    else if (last?.kind === "folded") last.lines.push(text);
    else parts.push({ kind: "folded", lines: [text] });
  }
  return parts;
}

/** `HttpError: 503 from …` is already shown above the stack. */
function withoutMessage(stack: string, message: string): string[] {
  const lines = stack.split("\n");
  const head = message.split("\n");
  const isHead = head.every((text, index) => (index === 0 ? (lines[0] ?? "").endsWith(text) : lines[index] === text));
  return isHead ? lines.slice(head.length) : lines;
}

function isForeign(frame: string): boolean {
  return /\bnode_modules[/\\]|\bfile:\/\/|\bnode:|\(internal[/\\]|\(<anonymous>\)|\(native\)|at native$/.test(frame);
}
