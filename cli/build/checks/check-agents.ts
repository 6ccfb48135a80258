import { isTimeout } from "../../../server/contract/project/options.ts";
import type { ProjectSettings } from "../../../server/contract/project/settings.ts";
import { nearestName } from "../../../sdk/did-you-mean.ts";
import { findPrice } from "../../../server/domain/runs/model-prices.ts";
import { parsePromptTemplate } from "../../../server/domain/prompt-template.ts";
import { show } from "./check-definitions.ts";
import type { DiagnosticCode } from "../diagnostics/diagnostic-codes.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { EvaluatedAgent, EvaluatedEntry } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";
import { findWrongPath } from "./request-values.ts";

type ModelPrices = NonNullable<ProjectSettings["modelPrices"]>;

/** Diagnostics of agents that depend on more than one option: tools and prices. */
export function agentDiagnostics(
  entries: readonly EvaluatedEntry[],
  files: ProjectFiles,
  { modelPrices = {} }: Pick<ProjectSettings, "modelPrices">,
): Diagnostic[] {
  return entries.flatMap((entry) => {
    if (entry.outcome !== "agent") return [];
    const { file, agent } = entry;
    const found: Diagnostic[] = [];
    const report = (property: string, code: DiagnosticCode, title: string, own: { fix?: string } = {}): void => {
      found.push(
        files.diagnose({
          code,
          title: `${file} › ${title}`,
          at: files.findProperty(file, property) ?? { file },
          ...own,
        }),
      );
    };
    for (const tool of agent.tools) {
      if ("problem" in tool.inputSchema)
        report(
          tool.name,
          "invalid_tool",
          `tools › ${tool.name} › inputSchema cannot be sent to a model: ${tool.inputSchema.problem}`,
        );
    }
    for (const { name, approvalTimeout, needsApproval } of agent.tools) {
      if (approvalTimeout === undefined) continue;
      if (!isTimeout(approvalTimeout))
        report(
          "approvalTimeout",
          "invalid_approval_timeout",
          `tools › ${name} › approvalTimeout is ${show(approvalTimeout)}`,
        );
      else if (needsApproval === "never")
        report(
          "approvalTimeout",
          "invalid_approval_timeout",
          `tools › ${name} › approvalTimeout is set without needsApproval`,
          { fix: "Add needsApproval: true, or remove approvalTimeout." },
        );
    }
    if (lacksPrice(agent, modelPrices))
      report(
        "usd",
        "no_model_price",
        `budget › usd needs a price, which is unknown for the model ${show(agent.model.modelId)}`,
        { fix: priceFix(agent.model.modelId, modelPrices) },
      );
    return found;
  });
}

/** Every run of such an agent would fail with `NoPrice` before the first call. */
function lacksPrice({ budget, model }: EvaluatedAgent, modelPrices: ModelPrices): boolean {
  const usd: unknown = Object(budget).usd;
  return typeof usd === "number" && usd > 0 && findPrice(model.modelId, modelPrices) === null;
}

function priceFix(modelId: string, modelPrices: ModelPrices): string {
  const near = nearestName(modelId, Object.keys(modelPrices));
  const meant = near === null ? "" : `modelPrices has ${show(near)}: correct its name if you meant this model. `;
  return `${meant}Add modelPrices: { ${show(modelId)}: { input: …, output: … } } to signalbox.config.ts, in US dollars per million tokens. Or use a budget in tokens.`;
}

/**
 * Diagnostics of prompt templates: their syntax, and whether the payload can have their paths. With a transform, only
 * the compiler checks the paths.
 */
export function promptDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  return entries.flatMap((entry) => {
    if (entry.outcome !== "trigger" || entry.trigger.prompt?.kind !== "template") return [];
    const { file, trigger } = entry;
    const template = parsePromptTemplate(entry.trigger.prompt.text);
    const location = (written: string) =>
      files.findText(file, written) ?? files.findProperty(file, "prompt") ?? { file };
    const faults = template.faults.map(({ written, why }) =>
      files.diagnose({ code: "invalid_prompt", title: `${file} › prompt › ${written} ${why}`, at: location(written) }),
    );
    const schema = trigger.hasTransform ? null : trigger.request.json;
    const paths = template.pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece]));
    const wrong = [...new Map(paths.map((path) => [path.written, path])).values()].flatMap(({ path, written }) => {
      const found = schema ? findWrongPath(schema, path) : null;
      return found
        ? [
            files.diagnose({
              code: "unknown_prompt_path",
              title: `${file} › prompt › ${written}: ${found.what}`,
              at: location(written),
              ...(found.similar !== null && { fix: `Did you mean {{ ${found.similar} }}?` }),
            }),
          ]
        : [];
    });
    return [...faults, ...wrong];
  });
}
