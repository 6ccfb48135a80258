import { ChevronRight } from "lucide-react";
import { isScriptedModel } from "../../../server/contract/agent/scripted-model.ts";
import { SchemaTree } from "../../schema/schema-tree.tsx";
import { ApprovalMark, modelBeyondBuild, ScriptedModelBadge } from "../../ui/badges.tsx";
import type { TargetDetails } from "../sheet-data.ts";
import { SheetFacts, SheetSection } from "../frame/sheet-frame.tsx";
import { formatInterval, formatUsd } from "../../../server/shared/format.ts";

type AgentDetails = NonNullable<TargetDetails["agent"]>;

/** Sections that only agents have: model, instructions, tools. */
export function AgentSections({
  agent,
  hasModelBeyondBuild,
}: {
  agent: AgentDetails;
  hasModelBeyondBuild: boolean | undefined;
}) {
  return (
    <>
      <SheetSection
        title="Model"
        note={isScriptedModel(agent.model) ? <ScriptedModelBadge isAnswered={hasModelBeyondBuild} /> : undefined}
      >
        {hasModelBeyondBuild && (
          <p className="mb-2 text-s text-wait">A model answered the last run. {modelBeyondBuild}</p>
        )}
        <SheetFacts
          facts={[
            [
              "model",
              <code key="model" className="break-all">
                {agent.model.modelId}
              </code>,
            ],
            [
              "provider",
              <code key="provider" className="break-all">
                {agent.model.provider}
              </code>,
            ],
            ["prices", describePrice(agent.price)],
          ]}
        />
      </SheetSection>
      <Instructions text={agent.instructions} />
      <SheetSection title="Tools" note={agent.tools.length === 0 ? undefined : String(agent.tools.length)}>
        {agent.tools.length === 0 ? (
          <p className="text-ink-2">No tools: the model can only respond.</p>
        ) : (
          <ul aria-label="Tools" className="divide-y overflow-hidden rounded-m border">
            {agent.tools.map((tool) => (
              <Tool key={tool.name} tool={tool} />
            ))}
          </ul>
        )}
      </SheetSection>
    </>
  );
}

/** Collapsed, because they are long and rarely read. */
function Instructions({ text }: { text: string }) {
  const [first = ""] = text.trim().split("\n", 1);
  return (
    <SheetSection title="Instructions">
      {text === "" ? (
        <p className="text-ink-2">Not part of this build. Rebuild the project to see them.</p>
      ) : (
        <details className="group rounded-m border">
          <summary className="flex min-h-9 cursor-pointer items-center px-3 py-1.5 hover:bg-sunken">
            <ChevronRight aria-hidden size={13} className="mr-1.5 shrink-0 text-ink-3 group-open:rotate-90" />
            <span className="min-w-0 truncate text-ink-2 group-open:text-ink-3">{first}</span>
          </summary>
          <p className="max-h-96 overflow-auto border-t px-3 py-2 break-words whitespace-pre-wrap">{text.trim()}</p>
        </details>
      )}
    </SheetSection>
  );
}

function Tool({ tool }: { tool: AgentDetails["tools"][number] }) {
  const hasArguments = Object.keys(tool.inputSchema).length > 0;
  return (
    <li className="px-3 py-2">
      <div className="flex items-center gap-2">
        <code className="min-w-0 font-semibold break-all">{tool.name}</code>
        <ApprovalMark needs={tool.needsApproval} />
      </div>
      {tool.description && <p className="text-s break-words text-ink-2">{tool.description}</p>}
      {tool.needsApproval !== "never" && (
        <p className="text-s text-ink-3">Denied after {formatInterval(tool.approvalTimeoutMs)} without a decision.</p>
      )}
      {hasArguments && (
        <details className="mt-1">
          <summary className="cursor-pointer text-s text-ink-3 hover:text-ink">Arguments</summary>
          <div className="pt-1">
            <SchemaTree schema={tool.inputSchema} label={`Arguments of ${tool.name}, as a tree`} />
          </div>
        </details>
      )}
    </li>
  );
}

/** `$0.25 input, $0.025 cached input, $2.00 output per million tokens`. */
function describePrice(price: AgentDetails["price"]): string {
  if (price === null) return "unknown: set modelPrices in signalbox.config.ts to see the cost of runs";
  const cached = price.cachedInput === undefined ? "" : `, ${formatUsd(price.cachedInput)} cached input`;
  return `${formatUsd(price.input)} input${cached}, ${formatUsd(price.output)} output per million tokens`;
}
