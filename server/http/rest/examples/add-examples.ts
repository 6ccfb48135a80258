import type { Problem } from "../../../contract/problem.ts";
import { deliveryExamples } from "./delivery-examples.ts";
import { agent, ids, type OperationExamples, version, workflow } from "./example-values.ts";
import { projectExamples } from "./project-examples.ts";
import { runExamples } from "./run-examples.ts";
import { serviceExamples } from "./service-examples.ts";

const examples: OperationExamples = { ...runExamples, ...deliveryExamples, ...projectExamples, ...serviceExamples };

/** Of parameters without which a request is rejected: by name, or by the segment of the path before an id or a slug. */
const parameters: Readonly<Record<string, string | number>> = {
  "runs.id": ids.run,
  "deliveries.id": ids.delivery,
  "builds.id": version,
  "keys.id": ids.key,
  "people.id": ids.person,
  "workflows.slug": workflow.slug,
  "agents.slug": agent.slug,
  "triggers.slug": "new-signup",
  target: workflow.slug,
  number: 0,
  format: "jsonl",
  endpoint: "signup",
  for: "new-signup",
};

const problem: Problem = {
  type: "/errors/not_found",
  title: "Not found",
  status: 404,
  code: "not_found",
  detail: 'There is no run "run_01".',
};

interface Body {
  content?: Record<string, { example?: unknown }>;
}

interface Documented {
  components: { schemas: Record<string, { examples?: unknown[] }> };
  paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  operationId: string;
  parameters?: { name: string; required?: boolean; example?: unknown }[];
  requestBody?: Body;
  responses: Record<string, Body>;
}

/** Adds an example of the request and of each successful response to each operation of a document. */
export function addExamples(document: object): void {
  const { components, paths } = document as Documented;
  if (components.schemas["Problem"]) components.schemas["Problem"].examples = [problem];
  for (const [path, methods] of Object.entries(paths))
    for (const operation of Object.values(methods)) addToOperation(operation, path);
}

function addToOperation(operation: Operation, path: string): void {
  const segment = /([^/]+)\/\{\w+\}/.exec(path)?.[1] ?? "";
  for (const parameter of operation.parameters ?? []) {
    const { name, required } = parameter;
    const value = parameters[`${segment}.${name}`] ?? parameters[name];
    if (required && value !== undefined) parameter.example = value;
  }
  const { request, answers = {} } = examples[operation.operationId] ?? {};
  for (const media of Object.values(operation.requestBody?.content ?? {}))
    if (request !== undefined) media.example = request;
  for (const [status, { content = {} }] of Object.entries(operation.responses))
    for (const [type, media] of Object.entries(content)) {
      const answer = answers[`${status} ${type}`] ?? answers[status];
      if (answer !== undefined) media.example = answer;
    }
}
