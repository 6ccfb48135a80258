import { Wrench } from "lucide-react";
import { isScriptedModel } from "../../../server/contract/agent/scripted-model.ts";
import { ApprovalMark, ScriptedModelBadge } from "../../ui/badges.tsx";
import type { GraphAgent } from "../model/answers.ts";
import { shownTools } from "../model/shown-tools.ts";

const lineClass = "flex h-[19px] min-w-0 items-center gap-1.5 text-s/[19px]";

/** An agent's model and tools, one line each, so the height of the node is known before rendering. */
export function AgentLines({ agent }: { agent: GraphAgent }) {
  const { shown, others } = shownTools(agent);
  const { provider, modelId } = agent.model;
  return (
    <div className="mt-0.5 group-data-[far=true]/canvas:hidden">
      <p className={`${lineClass} text-ink-2`} title={`${provider}, ${modelId}`}>
        {isScriptedModel(agent.model) && <ScriptedModelBadge />}
        <code className="truncate">{modelId}</code>
        {!isScriptedModel(agent.model) && <span className="min-w-0 shrink-[3] truncate text-ink-3">{provider}</span>}
      </p>
      {(shown.length > 0 || others > 0) && (
        <ul aria-label="Tools">
          {shown.map((tool) => (
            <li key={tool.name} className={lineClass}>
              <Wrench aria-hidden size={11} className="shrink-0 text-ink-3" />
              <code className="truncate" title={tool.name}>
                {tool.name}
              </code>
              <ApprovalMark needs={tool.needsApproval} />
            </li>
          ))}
          {others > 0 && <li className={`${lineClass} text-ink-3`}>and {others} more</li>}
        </ul>
      )}
    </div>
  );
}
