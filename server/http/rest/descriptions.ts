/**
 * The texts of the OpenAPI document for properties and parameters. Schemas of the contract are shared by code that
 * needs no texts, so that they are here, by path. `*.name` is every property of this name without a text of its own. A
 * schema of `sameAs` has the texts of the other one, too.
 */
const texts: Readonly<Record<string, string>> = {
  "*.id": "The id.",
  "*.data": "The entries.",
  "*.nextCursor": "The `cursor` of the next page. `null`: there is none.",
  "*.searchedTo": "Only of a page that ended early: the time back to which rows were searched.",
  "*.ok": "Whether it succeeded.",
  "*.endpoint": "The endpoint, e.g. `billing`.",
  "*.trigger": "Slug of the trigger.",
  "*.attachmentId": "Id of the trigger with its target: `new-signup:welcome-email`.",
  "*.runId": "Id of the run, `run_…`.",
  "*.deliveryId": "Id of the delivery, `dlv_…`.",
  "*.receivedAt": "When the request was received.",
  "*.createdAt": "When it was created.",
  "*.expiresAt": "When it expires. `null`: never.",
  "*.startedAt": "When it started.",
  "*.finishedAt": "When it ended.",
  "*.pointer": "JSON Pointer of the value.",
  "*.code": "A code that programs can rely on.",
  "*.message": "The reason in words.",
  "*.expected": "What was expected.",
  "*.actual": "What was received.",
  "*.reasons": "The reasons, in the order of the body.",
  "*.deliveries": "Number of deliveries.",
  "*.attempt": "Number of the attempt, from 1.",
  "*.name": "The name.",
  "*.slug": "Slug, e.g. `welcome-email`.",
  "*.file": "Path of its file in the project.",
  "*.kind": "The kind.",
  "*.isComplete": "Whether all deliveries of the period were read, or only the newest.",
  "*.isCapped": "There are more than were counted.",
  "*.tokens": "Input and output tokens together.",
  "*.costUsd": "Cost in US dollars. `null`: unknown.",
  "*.usage": "Tokens. `null` in a field: the provider did not report it.",
  "*.inputTokens": "Tokens of the input.",
  "*.cachedInputTokens": "Tokens of the input that the provider had cached.",
  "*.outputTokens": "Tokens of the output.",
  "*.reasoningTokens": "Tokens of the output that were used for reasoning.",
  "*.toolCallId": "Id of the tool call.",
  "*.toolName": "Name of the tool.",
  "*.verdicts": "The decisions of the triggers.",
  "*.unlistedVerdicts": "Counts of the other verdicts, on an endpoint with many triggers.",
  "*.disabled": "Since when and why the trigger is disabled. `null`: it is enabled.",
  "*.reason": "The reason, as a person gave it. `null`: none was given.",
  "*.role": "`viewer`, `operator` or `admin`.",
  "*.isMasked": "Sensitive values are replaced by fakes. Absent: nothing is replaced.",

  "Problem.type": "Path of the page that explains the problem: `/errors/<code>`.",
  "Problem.title": "A noun phrase, the same for all problems with this code.",
  "Problem.status": "The HTTP status.",
  "Problem.code": "What happened, e.g. `not_found`. Stable, unlike the texts.",
  "Problem.detail": "What is wrong, and where.",
  "Problem.errors": "The invalid values, at most 20. Absent: the problem is not about values.",
  "ProblemError.code": "The kind of the error, e.g. `invalid_type`.",

  "Target.kind": "Whether it is a workflow or an agent.",

  "RunSummary.status": "`queued`, `running`, `waiting` (for a retry, a sleep or an approval), or how it ended.",
  "RunSummary.trigger": "Slug of the trigger that started the run. `null`: it was started without a trigger.",
  "RunSummary.attachmentId": "Id of the trigger with its target. `null`: it was started without a trigger.",
  "RunSummary.deliveryId": "Id of the delivery that started the run. `null`: no webhook started it.",
  "RunSummary.startedBy": "What started the run. `failure`: it executes `onFailure` of another run.",
  "RunSummary.replayOf": "Id of the run that it replays. `null`: it is no replay.",
  "RunSummary.failureOf": "Id of the failed run whose `onFailure` it executes. `null`: it executes `run`.",
  "RunSummary.replayedAs": "Id of the newest replay of this run. `null`: there is none.",
  "RunSummary.version": "The build that accepted the run, or with which it was last resumed.",
  "RunSummary.attempt": "Number of the current or last attempt, over the whole life of the run. 0: it has not started.",
  "RunSummary.maxAttempts": "Number of the last possible attempt. A resume raises it.",
  "RunSummary.tokens": "Tokens that an agent has used so far, in and out. `null`: it is a workflow.",
  "RunSummary.costUsd": "Cost of the model calls so far, in US dollars. `null`: unknown, or it is a workflow.",
  "RunSummary.error": "The error of the last attempt. `null`: it did not fail.",
  "RunSummary.createdAt": "When the run was recorded.",
  "RunSummary.resumedAt": "When a person last resumed it. `null`: never.",
  "RunSummary.startedAt": "When its first attempt started. `null`: it has not started.",
  "RunSummary.finishedAt": "When it ended. `null`: it is open.",
  "RunSummary.error.name": "Name of the error, e.g. `TypeError`.",
  "RunSummary.error.message": "Message of the error.",
  "Run.payload": "The payload that its trigger accepted. `null`: no trigger started it.",
  "Run.input": "The input. `null`: there is none yet, or its transform failed.",
  "Run.output": "The output. `null`: it has not completed, or has no output.",
  "RunError.name": "Name of the error, e.g. `TypeError`.",
  "RunError.message": "Message of the error.",
  "RunError.stack": "Stack with the lines of the source files. `null`: the error had none.",
  "RunCount.count": "Number of runs, at most 10,000.",
  "StartedRuns.ok": "Always `true`.",
  "StartedRuns.runs": "The started runs, in the order of their attachment ids.",
  "StartedRuns.runs.trigger": "Slug of the trigger. `null`: the target was started without one.",
  "Skipped.ok": "Always `true`.",
  "Skipped.skipped": "No run was started.",
  "ReplayRequest.payload": "An edited payload, for `request` and the transform of the trigger.",
  "ReplayRequest.input": "An edited input, for the target.",

  "BulkPage.done": "Number of `runs`.",
  "BulkPage.runs": "The canceled, resumed or replayed runs.",
  "BulkPage.runs.replayedAs": "Id of the new run of a replay. Otherwise `null`.",
  "BulkPage.skipped": "Runs that need nothing: they were resumed, replayed or ended in the meantime.",
  "BulkPage.failed": "Runs that failed, each with the reason.",
  "BulkPage.until": "For the next call: later runs are left alone.",
  "BulkRequest.action": "What to do with the runs.",
  "RunFilter.target": "Slug of a workflow or an agent.",
  "RunFilter.targetKind": "Only runs of workflows, or of agents.",
  "RunFilter.status": "Status of the runs.",
  "RunFilter.delivery": "Id of the delivery that started the runs.",
  "RunFilter.version": "Id of the build.",
  "RunFilter.replayOf": "Id of the replayed run.",
  "RunFilter.failureOf": "Id of the failed run whose `onFailure` they execute.",
  "RunFilter.since": "Created at or after this time.",
  "RunFilter.until": "Created before this time.",
  "RunFilter.text": "Text in the payload or the input.",
  "RunFilter.minTokens": "Minimum number of tokens. Only runs of agents.",
  "RunFilter.minCostUsd": "Minimum cost in US dollars. Only runs of agents with a known cost.",
  "RunFilter.needsApproval": "Only runs that wait for an approval.",
  "RunFilter.unresolved": "Only runs that failed or timed out and have no replay.",
  "RunsUsage.runs": "Number of runs of agents.",
  "RunsUsage.pricedRuns": "Number of these runs whose cost is known.",
  "RunsUsage.costUsd": "Cost of `pricedRuns` in US dollars. `null`: the cost of none is known.",
  "RunsUsage.agents": "The same for each agent, the most expensive first.",
  "RunsUsage.agents.agent": "Slug of the agent.",
  "RunsUsage.agents.runs": "Number of its runs.",
  "RunsUsage.agents.pricedRuns": "Number of these runs whose cost is known.",

  "TimelineEntry.id": "Number of the entry, which grows within the run. The id of the server-sent event.",
  "TimelineEntry.at": "When it happened.",
  "TimelineEntry.kind": "What happened.",
  "TimelineEntry.name": "Name of the step, the sleep or the approval. `null`: the entry is about none.",
  "TimelineEntry.level": "Level of a log entry. Otherwise `null`.",
  "TimelineEntry.message": "Text of a log entry, or the explanation of another one.",
  "TimelineEntry.durationMs": "Duration in milliseconds. `null`: the entry ends nothing.",
  "TimelineEntry.until": "When the run continues. `null`: the entry is about no wait.",
  "TimelineEntry.error": "The error of a failed attempt, step or run.",
  "TimelineEntry.data": "Data of a log entry, or facts about another one.",

  "RunStep.name": "Name of the step, unique in the run: the second with a name is `name#2`.",
  "RunStep.attempt": "Number of the attempt that finished it, or that executes it.",
  "RunStep.until": "When a sleep ends, an approval expires, or the next try of a step starts. Otherwise `null`.",
  "RunStep.result": "The stored result; of an approval, the request and the decision. `null`: it has not finished.",
  "RunStep.resultBytes": "Length of the result as JSON. `null`: there is none yet.",

  "AgentTrace.steps": "The finished steps, in order.",
  "AgentTrace.steps.step": "The stored result of the step.",
  "AgentTrace.steps.step.type": "The kind of the step.",
  "AgentTrace.steps.step.system": "The system prompt.",
  "AgentTrace.steps.step.message": "The first message to the model, or the text of an error.",
  "AgentTrace.steps.step.boundary": "The delimiter around values of the payload. `null`: there are none.",
  "AgentTrace.steps.step.model": "The model that answered.",
  "AgentTrace.steps.step.model.provider": "The provider, as the AI SDK names it.",
  "AgentTrace.steps.step.model.modelId": "The id of the model.",
  "AgentTrace.steps.step.content": "The parts of the answer.",
  "AgentTrace.steps.step.content.type": "The kind of the part.",
  "AgentTrace.steps.step.content.text": "The text.",
  "AgentTrace.steps.step.content.input": "The arguments. If `isMalformed`, the text of the model.",
  "AgentTrace.steps.step.content.isMalformed": "The arguments are not JSON.",
  "AgentTrace.steps.step.content.providerOptions": "Data of the provider for the next call.",
  "AgentTrace.steps.step.finishReason": "Why the model stopped.",
  "AgentTrace.steps.step.kind": "Why the call failed.",
  "AgentTrace.steps.step.status": "HTTP status of the provider. `null`: it did not answer.",
  "AgentTrace.steps.step.waitMs": "Milliseconds until the call is repeated. `null`: it is not.",
  "AgentTrace.steps.step.input": "The arguments of the tool call.",
  "AgentTrace.steps.step.outcome":
    "`invalid`: the arguments did not match the schema. `denied`: a person denied the call.",
  "AgentTrace.steps.step.output": "The result of the tool.",
  "AgentTrace.steps.step.needsApproval": "Whether the call needs an approval.",
  "AgentTrace.approvals": "Tool calls that need or needed an approval, in the order of their requests.",
  "AgentTrace.approvals.request": "The call that a person is asked to approve.",
  "AgentTrace.approvals.request.input": "The arguments of the call.",
  "AgentTrace.approvals.requestedAt": "When the approval was requested.",
  "AgentTrace.approvals.until": "When it expires, which counts as denied. `null`: never.",
  "AgentTrace.approvals.decidedAt": "When it was decided. `null`: it is pending.",
  "AgentTrace.approvals.decision": "The decision. `null`: it is pending.",
  "AgentTrace.approvals.decision.isApproved": "Whether the call was approved.",
  "AgentTrace.approvals.decision.by": "The person who decided. `null`: it expired.",
  "AgentTrace.live": "The output of the model call in progress. `null`: there is none.",
  "AgentTrace.live.text": "The text so far.",
  "AgentTrace.live.textCut": "Characters that were cut at the beginning of `text`.",
  "AgentTrace.live.reasoning": "The reasoning so far.",
  "AgentTrace.live.reasoningCut": "Characters that were cut at the beginning of `reasoning`.",
  "AgentTrace.live.toolCalls": "The tool calls so far, in the order in which they began.",
  "AgentTrace.live.toolCalls.input": "The arguments so far, as text.",
  "AgentTrace.live.toolCalls.inputCut": "Characters that were cut at the beginning of `input`.",
  "AgentTrace.live.toolCalls.isComplete": "Whether the arguments are complete.",
  "AgentTrace.live.toolCallsCut": "Tool calls that were cut at the beginning of `toolCalls`.",
  "AgentTrace.live.step": "Name that the step will have.",
  "AgentTrace.live.updatedAt": "When the output last grew.",
  "ApprovalDecision.isApproved": "`true` approves the tool call, `false` denies it.",

  "Trigger.hasTransform": "Whether it has a `transform`.",
  "Trigger.request": "The schema of the body.",
  "Trigger.filter": "The schema of the second condition. `null`: there is none.",
  "Trigger.headers": "The schema of the request headers. `null`: there is none.",
  "Trigger.body": "The formats in which the endpoint accepts bodies.",
  "Trigger.body.type": "The format.",
  "Trigger.body.bigints": "What becomes of integers beyond 2⁵³.",
  "Trigger.body.field": "The field of the form that contains JSON. `null`: the form is the payload.",
  "Trigger.verify": "The scheme that verifies signatures. `null`: they are not verified.",
  "Trigger.secretVariable": "The environment variable with the secret. Absent: unknown.",
  "Trigger.dedupe": "What identifies an event. `null`: the usual headers.",
  "Trigger.dedupe.header": "The header that identifies an event.",
  "Trigger.dedupe.field": "JSON Pointer of the field that identifies an event.",
  "Trigger.dedupe.windowMs": "Milliseconds for which an event is remembered.",
  "Trigger.rateLimit": "The rate limit of the endpoint. `null`: the default of the service.",
  "Trigger.rateLimit.requests": "Number of requests.",
  "Trigger.rateLimit.per": "The unit of time.",
  "Trigger.onMismatch": "The response to bodies that match no trigger. `null`: the default.",
  "Trigger.reply": "The fixed response to requests that are not rejected. `null`: the default.",
  "Trigger.reply.status": "The HTTP status.",
  "Trigger.reply.body": "The body.",
  "Trigger.reply.headers": "The headers.",
  "Trigger.prompt": "How the prompt of an agent is made. `null`: the target is a workflow.",
  "Trigger.prompt.kind": "A template, or a function of the project.",
  "Trigger.prompt.text": "The template.",
  "Trigger.path": "Path of the endpoint: `/triggers/…`.",
  "Trigger.example": "A generated body that matches.",
  "Disabled.at": "When the trigger was disabled.",
  "DisableRequest.reason": "Why, for other people. Default: none.",
  "VerdictsRequest.endpoint": "Evaluate all triggers on this endpoint.",
  "VerdictsRequest.trigger": "Evaluate the trigger with this slug.",
  "VerdictsRequest.body": "The body to evaluate.",
  "Verdict.outcome": "The decision of the trigger.",
  "Verdict.runId": "Id of the started run. `null`: none was started.",
  "Verdict.reasons": "Why it did not match. Empty for a match.",
  "UnlistedVerdicts.outcome": "The decision of these triggers.",
  "UnlistedVerdicts.pointer": "The field that stopped them. `null`: various fields, or none.",
  "UnlistedVerdicts.count": "Number of these triggers.",
  "InferredTrigger.trigger": "The trigger.",
  "InferredTrigger.trigger.code": "Its TypeScript.",
  "InferredTrigger.workflow": "A workflow that logs the payload.",
  "InferredTrigger.workflow.code": "Its TypeScript.",
  "InferredTrigger.deliveries": "Number of deliveries that the trigger is made from.",
  "InferredTrigger.firstSeen": "When the first of them was received.",
  "InferredTrigger.lastSeen": "When the last of them was received.",
  "InferredTrigger.kindAt":
    "The header, or the JSON Pointer of the field, that names the kind of an event. `null`: none does.",
  "InferredTrigger.kinds": "All kinds of the period, the most frequent first.",
  "InferredTrigger.kinds.value": "The kind.",
  "InferredTrigger.only": "The kind that the trigger is limited to. `null`: every kind.",
  "DriftReport.data": "The changes.",
  "DriftReport.data.kind": "The kind of the events. `null`: they have none, or the change is a new kind.",
  "DriftReport.data.change": "What changed.",
  "DriftReport.data.pointer":
    "Path in the body, with `*` for items and for keys that are data. `null`: the whole body.",
  "DriftReport.data.trigger": "Slug of the trigger that does not match any more.",
  "DriftReport.data.since": "When the first delivery with the change was received.",
  "DriftReport.data.deliveries": "Number of deliveries with the change.",
  "DriftReport.data.of": "Number of deliveries since then that could have it.",
  "DriftReport.data.reasons": "Why deliveries do not match any more, the most frequent reason first.",
  "DriftReport.data.text": "The change in words.",
  "DriftReport.compared": "What the deliveries of each endpoint were compared with.",
  "DriftReport.compared.kinds": "Number of kinds.",
  "DriftReport.compared.lastSeen": "When the last compared delivery was received. `null`: none was compared.",
  "TriggerUrl.url": "The URL.",
  "TriggerUrl.keyId": "Id of the key in the URL. `null`: the URL has no key.",

  "Backtest.version": "The build that evaluated the deliveries.",
  "Backtest.since": "The beginning of the period.",
  "Backtest.until": "The end of the period.",
  "Backtest.endpoint": "Only deliveries to this endpoint. `null`: to all.",
  "Backtest.trigger": "Only firings of this trigger. `null`: of all.",
  "Backtest.compared": "Number of deliveries that were evaluated again.",
  "Backtest.notCompared": "Deliveries without a comparison, by reason.",
  "Backtest.notCompared.reason": "Why they were not compared.",
  "Backtest.notCompared.code": "The problem of rejected requests. Otherwise `null`.",
  "Backtest.notCompared.example": "Id of the newest one.",
  "Backtest.gained": "Firings that the build adds, over all triggers.",
  "Backtest.lost": "Firings that the build removes, over all triggers.",
  "Backtest.failed": "Runs that would fail for their transform or their input. 0 if they are not checked.",
  "Backtest.triggers": "The triggers with a difference or a failure, by attachment id.",
  "Backtest.triggers.gained": "Firings that the build adds.",
  "Backtest.triggers.lost": "Firings that the build removes.",
  "Backtest.triggers.failed": "Runs that would fail.",
  "Backtest.triggers.changes": "The newest differences, at most 100.",
  "Backtest.triggers.failures": "The newest failures, at most 100.",
  "FiringChange.outcome": "Why the trigger did not fire before (`gained`), or would not now (`lost`).",
  "FiringChange.change": "`gained`: it did not fire, and would now. `lost`: the opposite.",
  "FiringChange.runId": "Id of the run that a lost firing had started. `null`: there is none.",
  "InputFailure.name": "Name of the error of the run.",
  "InputFailure.errors": "The invalid values.",

  "DeliverySummary.id": "The id, `dlv_…`.",
  "DeliverySummary.method": "The HTTP method.",
  "DeliverySummary.headers": "The request headers, without keys and cookies. Names are in lower case.",
  "DeliverySummary.bodyBytes": "Size of the body in bytes.",
  "DeliverySummary.bodySha256": "SHA-256 of the body, in hexadecimal. `null`: the body was not read.",
  "DeliverySummary.outcome": "What became of the request.",
  "DeliverySummary.responseStatus": "HTTP status of the response.",
  "DeliverySummary.problem": "The problem in the response. `null`: it had none.",
  "DeliverySummary.durationMs": "Milliseconds from the request to the response.",
  "DeliverySummary.redeliveryOf": "Id of the delivery whose body was delivered again. `null`: it came from a sender.",
  "Delivery.body": "The body in base64, byte for byte. `null`: it is not stored.",
  "Delivery.json": "The body as JSON. `null`: it is none, or is not stored.",
  "Delivery.evaluated": "The body as triggers evaluate it. `null`: it is not stored, or cannot be read.",
  "EvaluatedBody.format": "The format of the body.",
  "EvaluatedBody.text": "The value that triggers evaluate, as JSON.",
  "ReleaseBatch.released": "Number of deliveries that started runs.",
  "ReleaseBatch.nextCursor": "The `cursor` of the next batch. `null`: this was the last.",
  "ReleasedDelivery.result":
    "`held`: no trigger matches yet. `already_released`: `runs` are those of an earlier release.",
  "ReleasedDelivery.message": "Why it is held or has failed. Otherwise `null`.",
  "ReleaseDeliveriesRequest.ids": "Ids of deliveries.",
  "ReleaseDeliveriesRequest.all": "All held deliveries.",
  "ReleaseDeliveriesRequest.endpoint": "Those to this endpoint.",
  "RedeliverRequest.trigger": "Slug of the one trigger that gets the delivery. Default: all on its endpoint.",

  "Build.builtAt": "When it was built. `null`: this machine does not keep it.",
  "Build.isCurrent": "Whether new runs start with it.",
  "Build.openRuns": "Number of open runs that it accepted.",
  "*.previous": "Id of the build before the current one, the target of a rollback. `null`: there is none.",
  "*.canRollBack": "Whether a rollback is possible. `signalbox dev` always serves the newest build.",
  "OpenRunCheck.openRuns": "Number of open runs.",
  "OpenRunCheck.checkedRuns": "Number of those that were compared: the oldest, if there are very many.",
  "OpenRunCheck.misfits": "Number of runs that do not fit.",
  "OpenRunCheck.failing": "Number of these that would continue on the checked build, and fail.",
  "OpenRunCheck.data": "The first runs that do not fit. Those that would fail come first.",
  "OpenRunCheck.neededBuilds": "Ids of the builds that accepted open runs.",
  "Misfit.build": "Id of the build that accepted the run.",
  "Misfit.problem": "What the checked build lacks or rejects.",
  "Misfit.detail": "The same in words.",
  "Misfit.continuesOn": "Id of the build on which the run would continue.",
  "BuildOutline.id": "Id of the build.",
  "BuildOutline.triggers": "Its attachment ids.",
  "BuildOutline.targets": "Its workflows and agents.",
  "BuildOutline.targets.target": "The workflow or agent.",
  "BuildOutline.targets.input": "The schema of its input.",
  "BuildOutline.targets.steps": "The calls of `ctx.step` and `ctx.sleep` in its code.",
  "BuildOutline.targets.steps.name": "Name of the step.",
  "BuildOutline.targets.versions": "The build on which its open runs continue.",

  "Key.kind": "`webhook` keys send webhooks, `api` tokens call this API.",
  "Key.hint": "The first characters of the key.",
  "Key.endpoints": "The endpoints that a webhook key may send to. `null`: all.",
  "Key.scope": "The scope of an API token. `null`: it is a webhook key.",
  "Key.lastUsedAt": "When it was last used. `null`: never.",
  "Key.revokedAt": "When it was revoked. `null`: it was not.",
  "Key.replacedBy": "Id of the key that replaced it in a rotation. `null`: none did.",
  "Key.ownerId": "Id of the person who owns an API token, and whose role limits it. `null`: it has no owner.",
  "CreateKeyRequest.kind": "A webhook key or an API token.",
  "CreateKeyRequest.name": "A name for people.",
  "CreateKeyRequest.expiresAt": "When it expires. Default: never.",
  "Person.email": "The email address.",
  "Person.createdAt": "When the person joined.",
  "Person.lastSeenAt": "When the person was last active. `null`: there is no open session.",
  "InvitationLink.kind": "`setup`: for the first admin. `invitation`: for another person. `reset`: for a new password.",
  "InvitationLink.note": "The note of the person who created it. For a `reset`, the email address.",
  "InvitationLink.personId": "Id of the person whose password it sets. `null`: it creates an account.",
  "InvitationLink.createdBy": "Name of the creator.",
  "AuditEntry.at": "When it happened.",
  "AuditEntry.action": "The action, as `subject.verb`.",
  "AuditEntry.subject": "Id or name of what it was done to.",
  "AuditEntry.address": "Network address of the client.",
  "AuditEntry.detail": "Facts about the action.",
  "AuditActor.kind": "`machine`: the command line on the machine itself, or any client in development.",
  "AuditActor.id": "Id of the person or the key.",
  "AuditActor.name": "Name of the person or the key at that time.",
  "Alert.kind": "The cause.",
  "Alert.subject": "What it is about, e.g. `workflow:welcome-email`.",
  "Alert.status": "Whether the cause persists.",
  "Alert.title": "One sentence.",
  "Alert.count": "How often the cause was found.",
  "Alert.path": "Path of the page that shows the cause.",
  "Alert.detail": "Facts about the cause, by `kind`.",
  "Alert.openedAt": "When the cause was first found.",
  "Alert.lastAt": "When the cause was last found.",
  "Alert.resolvedAt": "When it was resolved. `null`: it is active.",
  "Alert.messages": "Its messages, newest first.",
  "AlertMessage.id": "The `webhook-id`, the same in every attempt.",
  "AlertMessage.type": "What the message is about.",
  "*.destination": "Where it is sent.",
  "AlertMessage.status": "Whether it was sent.",
  "AlertMessage.attempts": "Number of attempts so far.",
  "AlertMessage.sentAt": "When it was sent. `null`: it was not.",
  "*.error": "Why the last attempt failed. `null`: it did not.",
  "AlertTest.isSent": "Whether the destination accepted it.",
  "Readiness.reasons": "Why the service is not ready. Empty if it is.",
  "*.openapi": "Version of OpenAPI.",

  "?runs.id": "Id of the run, `run_…`.",
  "?deliveries.id": "Id of the delivery, `dlv_…`.",
  "?keys.id": "Id of the key, `key_…`.",
  "?people.id": "Id of the person.",
  "?builds.id": "Id of the build.",
  "?workflows.slug": "Slug of the workflow.",
  "?agents.slug": "Slug of the agent.",
  "?triggers.slug": "Slug of the trigger.",
  "?targetKind": "Only runs of workflows, or of agents.",
  "?status": "Only entries with this status.",
  "?format": "`csv` or `jsonl`.",
  "?cursor": "`nextCursor` of the previous page. Opaque.",
  "?endpoint": "Only this endpoint.",
  "?outcome": "Only deliveries with this outcome.",
  "?action": "Only entries with this action.",
  "?since": "ISO 8601. Only entries from this time on.",
  "?until": "ISO 8601. Only entries before this time.",
};

/** The schema whose texts a schema has, unless it has its own. */
const sameAs: Readonly<Record<string, string>> = {
  Run: "RunSummary",
  Delivery: "DeliverySummary",
  CreatedKey: "Key",
  SwitchedTrigger: "Trigger",
};

interface Described {
  description?: string;
  [key: string]: unknown;
}

/** Adds the texts to a document. Returns the keys of those that it did not need. */
export function describeDocument(document: object): string[] {
  const used = new Set<string>();

  function find(keys: readonly string[]): string | undefined {
    const key = keys.find((one) => one in texts);
    if (key !== undefined) used.add(key);
    return key === undefined ? undefined : texts[key];
  }

  for (const { path, value } of undescribed(document)) {
    const text = find(keysOf(path));
    if (text !== undefined) value.description = text;
  }
  return Object.keys(texts).filter((key) => !used.has(key));
}

function keysOf(path: string): string[] {
  const [schema = "", ...names] = path.split(".");
  const name = names.at(-1) ?? "";
  if (schema.startsWith("?")) return [`${schema}.${name}`, `?${name}`];
  const other = sameAs[schema];
  return [path, ...(other === undefined ? [] : [[other, ...names].join(".")]), `*.${name}`];
}

/**
 * Properties and parameters without a description. `path`: names of properties below a schema (`Run.error.name`), or
 * `?runs.id` for a parameter of `/runs/{id}`. A reference has the description of its schema.
 */
export function undescribed(document: object): { path: string; value: Described }[] {
  const { components, paths } = document as {
    components: { schemas: Record<string, unknown> };
    paths: Record<string, Record<string, { parameters?: (Described & { name: string })[] }>>;
  };
  const schemas = Object.entries(components.schemas).flatMap(([name, schema]) => propertiesIn(schema, name));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ parameters = [], ...operation }) => [
      ...parameters.flatMap((value) => {
        const segment = /([^/]+)\/\{\w+\}/.exec(path)?.[1] ?? "";
        return value.description === undefined ? [{ path: `?${segment}.${value.name}`, value }] : [];
      }),
      ...propertiesIn(operation, ""),
    ]),
  );
  return [...schemas, ...operations];
}

/** Not the properties of examples, which are values. */
const notSchemas: ReadonlySet<string> = new Set(["example", "examples", "default", "enum"]);

function propertiesIn(value: unknown, path: string): { path: string; value: Described }[] {
  if (Array.isArray(value)) return value.flatMap((item) => propertiesIn(item, path));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, below]: [string, unknown]) => {
    if (notSchemas.has(key)) return [];
    if (key !== "properties" || typeof below !== "object" || below === null) return propertiesIn(below, path);
    return Object.entries(below as Record<string, Described>).flatMap(([name, property]) => {
      const at = `${path}.${name}`;
      const isDescribed = property.description !== undefined || "$ref" in property;
      return [...(isDescribed ? [] : [{ path: at, value: property }]), ...propertiesIn(property, at)];
    });
  });
}
