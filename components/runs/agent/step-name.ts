/** The kind of an agent step, parsed from its name. `position`: `2.1`, the first call of the second answer. */
export type AgentStepName =
  | { kind: "prompt" }
  | { kind: "model"; call: number; attempt: number }
  | { kind: "pause"; call: number; attempt: number }
  | { kind: "tool" | "approval" | "question"; position: string; toolName: string };

const patterns = {
  model: /^model (\d+)(?: try (\d+))?$/,
  pause: /^wait for model (\d+)(?: try (\d+))?$/,
  call: /^(tool|approval|needs approval) (\d+\.\d+) (.*)$/s,
};

const kinds = { tool: "tool", approval: "approval", "needs approval": "question" } as const;

/** `null`: not a name of an agent step. */
export function readStepName(name: string): AgentStepName | null {
  if (name === "prompt") return { kind: "prompt" };
  for (const kind of ["model", "pause"] as const) {
    const found = patterns[kind].exec(name);
    if (found) return { kind, call: Number(found[1]), attempt: Number(found[2] ?? 1) };
  }
  const [, word = "", position = "", toolName = ""] = patterns.call.exec(name) ?? [];
  return word === "tool" || word === "approval" || word === "needs approval"
    ? { kind: kinds[word], position, toolName }
    : null;
}

/** A readable label: `Model call 2`, `Tool search`. */
export function stepLabel(step: AgentStepName): string {
  switch (step.kind) {
    case "prompt":
      return "Prompt";
    case "model":
      return step.attempt === 1 ? `Model call ${step.call}` : `Model call ${step.call}, try ${step.attempt}`;
    case "pause":
      return `Wait for model call ${step.call}`;
    case "tool":
      return `Tool ${step.toolName}`;
    case "approval":
      return `Approval of ${step.toolName}`;
    case "question":
      return `Approval check of ${step.toolName}`;
  }
}
