import { type ManifestAgent, manifestSchema } from "../../../contract/project/manifest.ts";
import type { ProjectSources } from "../../../ports/project.ts";

/** A project that has an agent, too: `triage`, started by `new-ticket` on an endpoint of its own. */
export function withAgent(sources: ProjectSources, change: Partial<ManifestAgent> = {}): ProjectSources {
  const { triggers, agents, ...manifest } = sources.manifest;
  const agent: Record<string, unknown> = {
    slug: "triage",
    file: "agents/triage.ts",
    module: "agents/triage.js",
    input: { type: "object" },
    output: null,
    retries: { attempts: 1, backoff: "fixed", initialMs: 0, maxMs: 0 },
    timeoutMs: 60_000,
    model: { provider: "openai.chat", modelId: "gpt-5-mini" },
    instructions: "Sort.",
    tools: [
      { name: "findCustomer", description: "Looks up", inputSchema: {}, needsApproval: "never" },
      { name: "refund", description: null, inputSchema: {}, needsApproval: "always" },
    ],
    callTimeoutMs: 30_000,
    ...change,
  };
  const trigger = {
    slug: "new-ticket",
    endpoint: "tickets",
    attachmentId: "new-ticket:triage",
    target: { kind: "agent", slug: "triage" },
    file: "triggers/new-ticket.ts",
    module: "triggers/new-ticket.js",
    hasTransform: false,
    request: { type: "object" },
    filter: null,
    prompt: { kind: "template", text: "New ticket from {{ email }}" },
  };
  return {
    ...sources,
    manifest: manifestSchema.parse({ ...manifest, triggers: [...triggers, trigger], agents: [...agents, agent] }),
  };
}
