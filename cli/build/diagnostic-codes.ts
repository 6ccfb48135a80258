/**
 * Everything that the build can say. `text` is why, `fix` is the way out; docs/build.md lists them all.
 * A diagnostic may say more than its entry, never something else.
 */
export const diagnosticCodes = {
  no_triggers: {
    text: "A project has its triggers in triggers/, one in each file.",
    fix: "Make triggers/<name>.ts with a default export of defineWebhookSource({ ... }).attach({ workflow }). `signalbox init` makes a project that runs.",
  },
  invalid_settings: { text: "The settings of the project cannot be used.", fix: "Correct signalbox.config.ts." },
  syntax_error: { text: "The file cannot be read as TypeScript or JavaScript.", fix: "Correct it at the place shown." },
  unresolved_import: {
    text: "Nothing is found under this name from this file.",
    fix: "Install the package in the project, or correct the name.",
  },
  import_beyond_default: {
    text: "The receiver of webhooks loads triggers, but no workflow code: of a workflow file it knows nothing but which workflow is the default export.",
    fix: "Move what both files need into a file of its own, e.g. lib/ beside triggers/, and import it from there.",
  },
  bundle_failed: { text: "The project cannot be bundled.", fix: "Correct it at the place shown." },
  evaluation_failed: {
    text: "The build loads every trigger and workflow file once to read its definition, and this one threw an error while it loaded.",
    fix: "Top-level code must run anywhere. Move what needs a connection or a secret into run().",
  },
  invalid_definition: {
    text: "A definition in this file is not complete, or has a part of the wrong kind.",
    fix: "Correct it at the place shown.",
  },
  evaluation_hung: {
    text: "The build loads every trigger and workflow file once to read its definition, and this one did not finish loading.",
    fix: "Look for a top-level await or a loop that does not end, and move it into run().",
  },
  evaluation_exited: {
    text: "The build loads every trigger and workflow file once to read its definition, and this one ended the process while it loaded.",
    fix: "Look for process.exit() or a crash in top-level code, and move it into run().",
  },
  no_default_export: {
    text: "A file in triggers/, workflows/ or agents/ is one trigger, workflow or agent: its default export.",
    fix: "Add `export default`. A file that only helps others gets a name that starts with _, or a place outside.",
  },
  wrong_default_export: {
    text: "A file in triggers/ exports a trigger, a file in workflows/ exports a workflow, a file in agents/ exports an agent, as its default export.",
    fix: "Export what the folder asks for. A file that only helps others gets a name that starts with _, or a place outside.",
  },
  source_not_attached: {
    text: "A source alone starts nothing: it becomes a trigger when it is attached to a workflow.",
    fix: "End it with .attach({ workflow: yourWorkflow }).",
  },
  invalid_slug: {
    text: "A slug is lower-case letters and digits in groups joined by single hyphens, at most 64 characters.",
    fix: "Choose another slug.",
  },
  invalid_endpoint: {
    text: "An endpoint is one or more groups of lower-case letters, digits and single hyphens, joined by /, at most 256 characters.",
    fix: "Choose another endpoint.",
  },
  duplicate_slug: {
    text: "Two triggers may bear the same slug only when they share the source's endpoint and differ in target.",
    fix: "Give one of them another slug, or the same endpoint.",
  },
  duplicate_attachment: {
    text: "An attachment id is <trigger slug>:<target slug>, and names one trigger file.",
    fix: "Remove one of the two files, give one another slug, or attach it to another workflow.",
  },
  duplicate_workflow: { text: "A workflow is known by its slug everywhere.", fix: "Give one of the two another slug." },
  unlisted_workflow: {
    text: "A trigger starts a workflow that is the default export of a file in workflows/.",
    fix: "Move the workflow into a file of its own in workflows/, export it as default, and import it from there.",
  },
  duplicate_agent: { text: "An agent is known by its slug everywhere.", fix: "Give one of the two another slug." },
  unlisted_agent: {
    text: "A trigger starts an agent that is the default export of a file in agents/.",
    fix: "Move the agent into a file of its own in agents/, export it as default, and import it from there.",
  },
  invalid_tool: {
    text: "A model is told of a tool by the JSON Schema of its arguments.",
    fix: "Write inputSchema with Zod, or with jsonSchema() of the AI SDK.",
  },
  invalid_budget: {
    text: "budget takes tokens (a whole number from 1) and usd (a number above 0).",
    fix: "Write e.g. budget: { tokens: 50_000, usd: 0.25 }.",
  },
  no_model_price: {
    text: "A budget in US dollars is counted by the price of the model. Without a price every run would fail before anything is asked.",
    fix: "Say the price in modelPrices of signalbox.config.ts, or bound the budget by tokens.",
  },
  invalid_approval_timeout: {
    text: 'approvalTimeout is how long a call that needs approval waits for a person: a number with its unit, e.g. "4h" or "7d", or milliseconds.',
    fix: "Correct the value, or leave it out for 30 days.",
  },
  invalid_max_tool_calls: {
    text: "maxToolCalls is how many calls of tools are executed at most, in one answer of the model and in one run: whole numbers from 1.",
    fix: "Write e.g. maxToolCalls: { perAnswer: 20, perRun: 100 }.",
  },
  invalid_max_steps: {
    text: "maxSteps is how often the model may be called in one run: a whole number from 1.",
    fix: "Write e.g. maxSteps: 10.",
  },
  invalid_prompt: {
    text: "Between {{ and }} of a prompt stands a path into the payload, as customer.email or items.0.id. There is no code in a prompt.",
    fix: "Compute it in .attach({ transform }), or write prompt as a function. \\{{ stands for {{ itself.",
  },
  unknown_prompt_path: {
    text: "The prompt is made of the payload as request describes it, and a payload can have no such field: this part of the prompt would always be empty.",
    fix: "Correct the path, or add the field to request.",
  },
  invalid_retries: {
    text: 'retries takes attempts (1 to 100), backoff ("exponential" or "fixed"), initialDelay and maxDelay (durations such as "10s", the first not longer than the second).',
    fix: "Correct the value.",
  },
  invalid_timeout: {
    text: 'timeout is the longest time of one attempt: a number with its unit, e.g. "250ms", "30s", "5m", "1.5h", "7d", or milliseconds.',
    fix: "Correct the value.",
  },
  invalid_concurrency: {
    text: "concurrency is how many runs of the workflow or agent may be under way at once, over all workers: a whole number from 1.",
    fix: "Correct the value, or leave it out for no limit.",
  },
  invalid_max_queued: {
    text: "maxQueued is how many runs of the workflow or agent may be queued at most; what would queue more is refused. A whole number from 1.",
    fix: "Correct the value, or leave it out for no limit.",
  },
  missing_secret: {
    text: "Signatures cannot be checked without their secret. The build goes on; `signalbox start` does not start until it is set, and `signalbox dev` refuses what is signed.",
    fix: "Set the variable of the environment that it is read from, where the service runs.",
  },
  unusable_secret: {
    text: "A signature is worth as much as its secret.",
    fix: "Take it from the sender's settings, whole and as it is shown. One that you choose yourself: `openssl rand -hex 32`.",
  },
  invalid_dedupe: {
    text: 'dedupe says what names an event: { header: "x-event-id" } or { field: "/event/id" }, a JSON pointer or names joined by dots. window is how long it is remembered, from "1s" to "30d", and may stand alone.',
    fix: "Correct the value.",
  },
  unnamed_dedupe_field: {
    text: "Events are told apart by a place in the body that `request` does not name. Should bodies not have it, no repeat is noticed.",
    fix: "Correct the place, or name it in `request`. The build goes on.",
  },
  unsigned_dedupe_header: {
    text: "The signature does not cover this header. A replay of a signed request can change it, so repeats are recognised by what is signed instead.",
    fix: 'Name a field of the body: { field: "/id" }. Without one, requests with the same signed content are one event: keep only the window, or leave dedupe out. The build continues.',
  },
  invalid_rate_limit: {
    text: 'rateLimit is how many requests the endpoint takes: { requests: 100, per: "minute" }, with 1 to 1,000,000 requests per second, minute or hour.',
    fix: "Correct the value, or leave it out for no limit.",
  },
  endpoint_disagrees: {
    text: "Requests are counted and verified, and repeats noticed, before any trigger looks at them: sources that share an endpoint must have the same verify, dedupe and rateLimit.",
    fix: "Write it once, e.g. in lib/ beside triggers/, and import it in every source of the endpoint. Or give one of them an endpoint of its own.",
  },
  not_a_schema: {
    text: "request, filter, input and output are Zod schemas, of Zod 4 (zod, zod/v4, zod/mini) or Zod 3 (zod/v3).",
    fix: "Write it with Zod, e.g. z.object({ ... }).",
  },
  schema_uses_code: {
    text: "Schemas are exported to JSON Schema, and JSON Schema cannot carry code.",
    fix: "Keep the wire shape here, and convert or check at the top of run().",
  },
  schema_not_json: {
    text: "Schemas describe JSON, and JSON has no such value.",
    fix: "Describe what stands in the JSON, and convert at the top of run().",
  },
  schema_unsafe_regex: {
    text: "A text can be sent that keeps this regular expression busy for very long, and with it the receiver of all webhooks.",
    fix: "Write it without repetitions that can match the same text in several ways, or limit the length and use a plain check.",
  },
  schema_unchecked_regex: {
    text: "The build could not find out whether a text can be sent that keeps this regular expression busy for very long, and with it the receiver of all webhooks.",
    fix: "Write it with fewer nested or optional repetitions. If you know that it is safe, add it to `uncheckedRegexes` in signalbox.config.ts.",
  },
  schema_varying_default: {
    text: "The schema is exported once, at build time, and so is its default: a default that is made anew each time cannot be exported.",
    fix: "Use a constant default, or .optional() here and fill the value in at the top of run().",
  },
  schema_export_failed: {
    text: "The schema cannot be exported to JSON Schema.",
    fix: "Write it with the plain structural parts of Zod. docs/build.md lists them.",
  },
  sources_differ: {
    text: "The receiver of webhooks loads triggers, but no workflow code, and there this trigger came out differently or not at all. It probably reads its schema or settings from the workflow.",
    fix: "Move what both need into a file of its own, e.g. lib/ beside triggers/, and import it in both.",
  },
} as const satisfies Record<string, { text: string; fix: string }>;

export type DiagnosticCode = keyof typeof diagnosticCodes;
