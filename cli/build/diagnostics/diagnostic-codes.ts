import { optionDiagnostics } from "../../../server/contract/project/options.ts";

/** All diagnostics of the build. `text` is the reason, `fix` the fix; docs/build.md lists every code. */
export const diagnosticCodes = {
  ...optionDiagnostics,
  no_triggers: {
    text: "A project has one trigger per file in triggers/.",
    fix: "Create triggers/<name>.ts with a default export of defineWebhookSource({ ... }).attach({ workflow }). `signalbox init` creates a working project.",
  },
  invalid_settings: { text: "The settings of the project are invalid.", fix: "Correct signalbox.config.ts." },
  syntax_error: { text: "The file is not valid TypeScript or JavaScript.", fix: "Correct the code at this location." },
  unresolved_import: {
    text: "The import does not resolve from this file.",
    fix: "Install the package in the project, or correct the name.",
  },
  unbundled_import: {
    text: "The build cannot tell which file this is, so the built code does not contain it. At run time, packages are found, and paths are relative to the folder of the build.",
    fix: "Write the path as a string, or as a template that starts with the folder, e.g. import(`./senders/${name}.ts`), which bundles every file that matches. For files that are not code, use process.cwd().",
  },
  commonjs_namespace: {
    text: "The package is a CommonJS module. For Node, `import * as` has only the exports that it finds in the text of the package. The package itself is the default export.",
    fix: "Import the default export of the package.",
  },
  invalid_duration: {
    text: 'Every run would fail at this call. A duration is a number with a unit, e.g. "250ms", "30s", "5m", "1.5h", "7d", or milliseconds, at most 100 years ("36525d").',
    fix: "Correct the value.",
  },
  missing_module_path: {
    text: "Built code is an ES module in .signalbox/, where the file itself is not.",
    fix: 'Use process.cwd(), which is the folder of the project, e.g. join(process.cwd(), "templates").',
  },
  import_beyond_default: {
    text: "The receiver of webhooks loads triggers, but no workflow code. It knows only the default export of a workflow file.",
    fix: "Move the shared code to a separate file, e.g. in lib/ beside triggers/, and import it from there.",
  },
  invalid_tsconfig: {
    text: "The options that this part of the file sets would have no effect on the built code.",
    fix: "Correct tsconfig.json at this location.",
  },
  unsupported_tsconfig: {
    text: "The build compiles each file with the options of the nearest tsconfig.json, but not with this one.",
    fix: "Remove the option.",
  },
  bundle_failed: { text: "The project cannot be bundled.", fix: "Correct the code at this location." },
  evaluation_failed: {
    text: "The build loads every file once to read its definition. This file threw an error while it loaded.",
    fix: "Top-level code runs at build time. Move code that needs a connection or a secret into run().",
  },
  invalid_definition: {
    text: "A definition in this file is incomplete, or has a value of the wrong type.",
    fix: "Correct the code at this location.",
  },
  evaluation_hung: {
    text: "The build loads every file once to read its definition. This file did not finish loading.",
    fix: "Find the top-level await or loop that does not end, and move it into run().",
  },
  evaluation_exited: {
    text: "The build loads every file once to read its definition. This file ended the process while it loaded.",
    fix: "Find the process.exit() or the crash in top-level code, and move it into run().",
  },
  no_default_export: {
    text: "The default export of a file in triggers/, workflows/ or agents/ is its trigger, workflow or agent.",
    fix: "Add `export default`. Start the name of a helper file with _, or move it to another folder.",
  },
  wrong_default_export: {
    text: "The default export must be a trigger in triggers/, a workflow in workflows/, and an agent in agents/.",
    fix: "Export the type of the folder. Start the name of a helper file with _, or move it to another folder.",
  },
  source_not_attached: {
    text: "A source without a workflow or agent starts no runs. It only wakes the runs that wait for it.",
    fix: "Add .attach({ workflow: yourWorkflow }), or import the source in a workflow and wait for it with ctx.waitFor. The build continues.",
  },
  import_cycle: {
    text: "A trigger imports its workflow, and a workflow imports the source that it waits for. Two files that import each other cannot both load first.",
    fix: "Define the source in a file of its own, e.g. in lib/. Import it from there in the workflow, and attach it in triggers/.",
  },
  invalid_slug: {
    text: "A slug has lower-case letters, digits and single hyphens between them, at most 64 characters.",
    fix: "Choose another slug.",
  },
  invalid_endpoint: {
    text: "An endpoint has segments of lower-case letters, digits and single hyphens, joined by /, at most 256 characters.",
    fix: "Choose another endpoint.",
  },
  duplicate_slug: {
    text: "Two triggers can have the same slug only with the same endpoint and different targets.",
    fix: "Change the slug of one of them, or give both the same endpoint.",
  },
  duplicate_attachment: {
    text: "An attachment id is <trigger slug>:<target slug>, and must be unique.",
    fix: "Remove one of the two files, change the slug of one, or attach it to another workflow or agent.",
  },
  duplicate_workflow: { text: "The slug of a workflow must be unique.", fix: "Change the slug of one of them." },
  unlisted_workflow: {
    text: "A trigger can start only a workflow that is the default export of a file in workflows/.",
    fix: "Move the workflow to its own file in workflows/, export it as default, and import it from there.",
  },
  duplicate_agent: { text: "The slug of an agent must be unique.", fix: "Change the slug of one of them." },
  unlisted_agent: {
    text: "A trigger can start only an agent that is the default export of a file in agents/.",
    fix: "Move the agent to its own file in agents/, export it as default, and import it from there.",
  },
  invalid_tool: {
    text: "The model receives the JSON Schema of a tool's arguments.",
    fix: "Write inputSchema with Zod, or with jsonSchema() of the AI SDK.",
  },
  no_model_price: {
    text: "A budget in US dollars needs the price of the model. Without a price, every run fails before the first call.",
    fix: "Set the price in modelPrices of signalbox.config.ts, or use a budget in tokens.",
  },
  invalid_approval_timeout: {
    text: 'approvalTimeout is the time that a call waits for approval: a number with a unit, e.g. "4h" or "7d", or milliseconds.',
    fix: "Correct the value, or omit it. Default: 30 days.",
  },
  invalid_prompt: {
    text: "A prompt has paths into the payload between {{ and }}, such as customer.email or items.0.id. It cannot contain code.",
    fix: "Compute the value in .attach({ transform }), or write prompt as a function. \\{{ is a literal {{.",
  },
  unknown_prompt_path: {
    text: "By the request schema, payloads do not have this field, so this part of the prompt would always be empty.",
    fix: "Correct the path, or add the field to request.",
  },
  invalid_key: {
    text: 'key names what a run is about: { field: "/customer/id" }, which is a JSON Pointer or names joined by dots, or { header: "x-account" }. Up to three in an array make one key. The value is a string or an integer.',
    fix: "Correct the value.",
  },
  unknown_key_field: {
    text: "By the request schema, payloads do not have this field, so no run would have a key.",
    fix: "Correct the path, or add the field to request.",
  },
  sensitive_key: {
    text: "Everyone who may read runs sees their keys, and lists filter by them. A sensitive value must not be one.",
    fix: "Name another field, e.g. the id of the customer in place of the e-mail address.",
  },
  missing_secret: {
    text: "Signatures cannot be verified without a secret. The build continues. `signalbox start` does not start until the secret is set, and `signalbox dev` rejects webhooks that must be signed.",
    fix: "Set the environment variable on the machine of the service, or in `.env`.",
  },
  unusable_secret: {
    text: "Signatures are verified with a value from the sender's settings. It must be complete, and a secret must be long enough.",
    fix: "Copy the complete value from the sender's settings. To create your own secret: `openssl rand -hex 32`.",
  },
  invalid_dedupe: {
    text: 'dedupe identifies an event by { header: "x-event-id" } or { field: "/event/id" }, which is a JSON Pointer or names joined by dots. window, from "1s" to "30d", is the time in which repeats are recognized. It can be used alone.',
    fix: "Correct the value.",
  },
  unnamed_dedupe_field: {
    text: "dedupe identifies events by a field that `request` does not have. Repeats of bodies without the field are not recognized.",
    fix: "Correct the path, or add the field to `request`. The build continues.",
  },
  unsigned_dedupe_header: {
    text: "The signature does not cover this header. A replay of a signed request can change it, so repeats are recognized by the signed content instead.",
    fix: 'Name a field of the body: { field: "/id" }. Or keep only the window, or omit dedupe: requests with the same signed content are then one event. The build continues.',
  },
  unsigned_dedupe_field: {
    text: "The signature does not cover the body. A replay of a signed request can change it, so repeats are recognized by the signed content instead.",
    fix: "Keep only the window, or omit dedupe. The build continues.",
  },
  missing_run_key: {
    text: "concurrency.perKey limits the runs with the same key. The runs of this trigger have no key, so the limit does not apply to them.",
    fix: 'Add the key beside the target: key: { field: "customer.id" }. The build continues.',
  },
  invalid_headers: {
    text: "headers describes the headers of a request: an object with their names in lower case. Values are strings, or arrays of strings for repeated headers. Other headers are ignored.",
    fix: "Correct the schema.",
  },
  invalid_query: {
    text: "query describes the query of the URL: an object with the names of its parameters. Values are strings, or arrays of strings for repeated parameters. Other parameters are ignored. Of a GET, the query is the body.",
    fix: "Correct the schema.",
  },
  secret_header: {
    text: "Credentials and signatures are removed from a request before triggers evaluate it, so that they appear in no explanation.",
    fix: "Remove it from headers. `verify` checks signatures, and webhook keys authenticate senders.",
  },
  unknown_filter_field: {
    text: "filter reads the same body as request. A field that request does not have is probably misspelled, and no transform can use it.",
    fix: "Correct the name, or add the field to request (of a typed source, to pick).",
  },
  impossible_filter: {
    text: "A body starts a run only if it matches both request and filter. By these schemas, no body has this value.",
    fix: "Correct the value in filter, or the schema in request.",
  },
  rejects_other_events: {
    text: "The only trigger on an endpoint answers 422 to a body that does not match its request. This sender sends other kinds of events to the same URL, or changes its events, and disables the URL after some errors.",
    fix: 'Write onMismatch: "skip", which answers 200. Or onMismatch: "reject", to keep the 422. The build continues.',
  },
  invalid_reply: {
    text: "reply is a fixed response: { status, body, headers }, or one for each outcome: { accepted, skipped, repeated, held, rejected }. status is 200 to 299, body a string or an object of 16 KiB at most. headers are strings, without those that the server sets. rejected has no status: that of the problem stays.",
    fix: "Correct the value, or omit it.",
  },
  invalid_challenge: {
    text: 'challenge is a request by which the sender tests the endpoint, and its answer: a sender by name, e.g. "dropbox", or { method, if, echo, as, headers }, or a list. if and echo name one value: { query: "challenge" }, { header: "x-challenge" } or, of a POST, { field: "/challenge" }. as is "text", { field: "challenge" } or { header: "x-challenge" }. Headers of an answer begin with x- or webhook-.',
    fix: "Correct the value, or omit it. Default: none.",
  },
  invalid_methods: {
    text: 'methods is ["POST"], ["GET"] or both. The query of a GET is its body: a form. With both, a POST is JSON or a form.',
    fix: "Correct the value, or omit it. Default: POST.",
  },
  unsigned_query: {
    text: "The query of a GET is its body. A signature that does not cover the URL says nothing about it: anyone with a signed request could change it.",
    fix: "Use a verification that covers the URL, e.g. hmac with {url} in signedContent and without the option url. Or omit verify: the key authenticates the sender.",
  },
  invalid_body: {
    text: 'body is the format of the bodies: "json", "form", { type: "form", field: "payload" }, "multipart", "text" or "bytes". bigints is "number" or "string".',
    fix: "Correct the value, or omit it. Default: JSON, with large integers as numbers.",
  },
  only_for_json: {
    text: "This option applies to JSON, and the bodies of this source are not JSON.",
    fix: 'Remove the option. A form that contains JSON in a field is { type: "form", field: "payload" }.',
  },
  body_mismatch: {
    text: "A form is an object whose values are strings, arrays of strings or files. Text and bytes are strings. This schema matches no such body.",
    fix: "Describe the body as sent, and convert it in .attach({ transform }) or at the top of run().",
  },
  unsent_body: {
    text: "The verified sender does not send bodies in this format. Requests in its own format are answered 415.",
    fix: "Omit body: verify implies the formats of its sender.",
  },
  endpoint_disagrees: {
    text: "verify, dedupe, rateLimit, body, bigints, onMismatch, reply, challenge and methods apply to a request before any trigger evaluates it. Sources that share an endpoint must have the same values.",
    fix: "Define the endpoint once with defineEndpoint(), e.g. in lib/ beside triggers/, and import it in every source. Or use separate endpoints.",
  },
  not_a_schema: {
    text: "request, filter, headers, input and output must be schemas of Zod 4 (zod, zod/v4, zod/mini) or Zod 3 (zod/v3).",
    fix: "Use a Zod schema, e.g. z.object({ ... }).",
  },
  schema_mixes_versions: {
    text: "A schema parses what is inside it with its own version of Zod, so each webhook would be rejected.",
    fix: 'Import z from the same version in all files that the schema is made of, e.g. "zod".',
  },
  schema_uses_code: {
    text: "Schemas are exported to JSON Schema, which cannot contain code.",
    fix: "Describe the JSON as sent, and convert or check at the top of run().",
  },
  schema_not_json: {
    text: "Schemas describe JSON, which has no such value.",
    fix: "Describe the JSON value, and convert it at the top of run().",
  },
  schema_unsafe_regex: {
    text: "A crafted string can block this regular expression, and with it the receiver of all webhooks.",
    fix: "Avoid repetitions that can match the same string in several ways, or limit the length and use a simple check.",
  },
  schema_unchecked_regex: {
    text: "The build could not determine whether a crafted string can block this regular expression, and with it the receiver of all webhooks.",
    fix: "Use fewer nested or optional repetitions. If you know that it is safe, add it to `uncheckedRegexes` in signalbox.config.ts.",
  },
  schema_varying_default: {
    text: "Schemas and their defaults are exported once, at build time. A default that is computed each time cannot be exported.",
    fix: "Use a constant default, or use .optional() and set the value at the top of run().",
  },
  schema_export_failed: {
    text: "The schema cannot be exported to JSON Schema.",
    fix: "Use the supported types and checks. docs/build.md lists them.",
  },
  type_error: {
    text: "The compiler reports this with the project's tsconfig.json.",
    fix: "Correct the code at this location.",
  },
  missing_typescript: {
    text: "`--check-types` runs the TypeScript of the project, and there is none in its node_modules.",
    fix: "Install it: npm i -D typescript @types/node",
  },
  missing_tsconfig: {
    text: "`--check-types` runs the TypeScript of the project with its tsconfig.json.",
    fix: "Create one in the folder of the project. `signalbox init` in an empty folder creates one that fits.",
  },
  sources_differ: {
    text: "The receiver of webhooks loads triggers, but no workflow code. Without it, this trigger is different or fails to load. It probably reads its schema or settings from the workflow.",
    fix: "Move the shared code to a separate file, e.g. in lib/ beside triggers/, and import it in both.",
  },
} as const satisfies Record<string, { text: string; fix: string }>;

export type DiagnosticCode = keyof typeof diagnosticCodes;
