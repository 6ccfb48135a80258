import type { Diagnostic } from "./diagnostic.ts";
import type { DiagnosticCode } from "./diagnostic-codes.ts";
import { isCount, isTimeout, show } from "./check-definitions.ts";
import type { EvaluatedEntry } from "./evaluation/protocol.ts";
import type { ProjectFiles } from "./project-files.ts";

/** What stands in agents beside their slugs and output: tools, bounds and times. */
export function agentDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  return entries.flatMap((entry) => {
    if (entry.outcome !== "agent") return [];
    const { file, agent } = entry;
    const found: Diagnostic[] = [];
    const report = (property: string, code: DiagnosticCode, title: string): void => {
      found.push(files.diagnose({ code, title: `${file} › ${title}`, at: files.findProperty(file, property) ?? { file } }));
    };
    for (const tool of agent.tools) {
      if ("problem" in tool.inputSchema) report(tool.name, "invalid_tool", `tools › ${tool.name} › inputSchema cannot be told to a model: ${tool.inputSchema.problem}`);
    }
    for (const { property, title } of budgetProblems(agent.budget)) report(property, "invalid_budget", title);
    if (agent.maxSteps !== undefined && !isCount(agent.maxSteps)) report("maxSteps", "invalid_max_steps", `maxSteps is ${show(agent.maxSteps)}`);
    if (agent.timeout !== undefined && !isTimeout(agent.timeout)) report("timeout", "invalid_timeout", `timeout is ${show(agent.timeout)}`);
    if (agent.callTimeout !== undefined && !isTimeout(agent.callTimeout)) report("callTimeout", "invalid_timeout", `callTimeout is ${show(agent.callTimeout)}`);
    if (agent.concurrency !== undefined && !isCount(agent.concurrency)) report("concurrency", "invalid_concurrency", `concurrency is ${show(agent.concurrency)}`);
    return found;
  });
}

/** The bounds that `budget` asks for; `null`: none. Expects that agentDiagnostics finds nothing in it. */
export function budgetOf(budget: unknown): { tokens: number | null; usd: number | null } {
  const { tokens, usd } = optionsOf(budget);
  return { tokens: typeof tokens === "number" ? tokens : null, usd: typeof usd === "number" ? usd : null };
}

function budgetProblems(budget: unknown): { property: string; title: string }[] {
  const problems: { property: string; title: string }[] = [];
  for (const [name, value] of Object.entries(optionsOf(budget))) {
    if (name !== "tokens" && name !== "usd") problems.push({ property: name, title: `budget › ${name} is not an option` });
    else if (value !== undefined && !(name === "tokens" ? isCount(value) : typeof value === "number" && value > 0)) problems.push({ property: name, title: `budget › ${name} is ${show(value)}` });
  }
  return problems;
}

function optionsOf(budget: unknown): Record<string, unknown> {
  return typeof budget === "object" && budget !== null ? { ...budget } : {};
}
