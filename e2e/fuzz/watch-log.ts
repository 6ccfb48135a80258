import type { Fault, SecretFinder } from "./check-responses.ts";

const maxDetail = 1_000;

/** Reads what was logged since the last call: errors, stacks, text that is no log line, and secrets are faults. */
export function createLogWatch(log: () => string, findSecret: SecretFinder): () => Fault[] {
  let read = log().length;
  return () => {
    const text = log();
    const end = text.lastIndexOf("\n") + 1;
    if (end <= read) return [];
    const lines = text.slice(read, end).split("\n");
    read = end;
    return lines.filter(Boolean).flatMap((line): Fault[] => {
      const secret = findSecret(line);
      if (secret !== null)
        return [{ kind: "secret", detail: `${secret.name} is in the log: ${line.slice(0, maxDetail)}` }];
      return isFault(line) ? [{ kind: "log", detail: line.slice(0, maxDetail) }] : [];
    });
  };
}

function isFault(line: string): boolean {
  try {
    const { level } = JSON.parse(line) as { level?: string };
    return level === "error" || level === "fatal" || line.includes('"stack":');
  } catch {
    return true;
  }
}
