import { z } from "zod";
import { disabledSchema } from "../../../server/contract/disabled.ts";
import { didYouMean } from "../../../sdk/did-you-mean.ts";
import { formatMethods } from "../../../server/shared/format.ts";
import type { Trigger } from "../../../server/triggers/read-triggers.ts";
import { apiPath } from "../../../server/contract/api-request.ts";
import { Failure } from "../../terminal/failure.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { listsTriggers, triggersAnswer, urlAnswer } from "./trigger-answers.ts";

const switchedAnswer = z.object({ slug: z.string(), disabled: disabledSchema.nullable() });

export function registerTriggersList(triggers: CliCommand, runner: CommandRunner): void {
  triggers
    .subcommand("list", "List the triggers, or the triggers on one endpoint", [
      "signalbox triggers list",
      "signalbox triggers list --endpoint billing",
    ])
    .option("--endpoint <endpoint>", "Only triggers on this endpoint")
    .action(runner.action(listTriggers));
}

async function listTriggers(context: CommandContext, { endpoint }: { endpoint?: string }): Promise<void> {
  const api = await context.api();
  const all = await api.request({ path: "/triggers", answer: triggersAnswer });
  const data = all.data.filter((trigger) => endpoint === undefined || trigger.endpoint === endpoint);
  if (endpoint !== undefined && data.length === 0) throw unknownEndpoint(endpoint, all.data);
  context.print({ document: { data }, text: () => renderTriggers(data, context.terminal.out.paint) });
  if (data.length === 0 && !context.isJson)
    context.notify(
      "There are no triggers yet. Write one in triggers/, or create an example project with `signalbox init`.",
    );
}

function renderTriggers(triggers: readonly Trigger[], paint: Paint): string {
  if (triggers.length === 0) return "";
  const isAnyOnHeaders = triggers.some(({ headers }) => headers !== null);
  const isAnySigned = triggers.some(({ verify }) => verify !== null);
  const isAnyNamed = triggers.some(({ dedupe }) => dedupe !== null);
  const isAnyLimited = triggers.some(({ rateLimit }) => rateLimit !== null);
  const isAnyOff = triggers.some(({ disabled }) => disabled !== null);
  return renderTable({
    headings: [
      ...(isAnyOff ? ["STATE"] : []),
      "TRIGGER",
      "ENDPOINT",
      "TARGET",
      "FILTER",
      ...(isAnyOnHeaders ? ["HEADERS"] : []),
      ...(isAnySigned ? ["SIGNED"] : []),
      ...(isAnyNamed ? ["DEDUPE"] : []),
      ...(isAnyLimited ? ["RATE LIMIT"] : []),
      "FILE",
    ],
    rows: triggers.map(
      ({ slug, endpoint, methods, target, filter, headers, verify, dedupe, rateLimit, file, disabled }) => [
        ...(isAnyOff ? [disabled ? paint("warn", "– disabled") : paint("good", "✓ enabled")] : []),
        paint("strong", slug),
        `${formatMethods(methods)} /triggers/${endpoint}`,
        target ? `${target.kind} ${target.slug}` : paint("dim", "wakes runs"),
        filter === null ? "no" : "yes",
        ...(isAnyOnHeaders ? [headers === null ? "no" : "yes"] : []),
        ...(isAnySigned ? [verify ?? "no"] : []),
        ...(isAnyNamed ? [dedupe?.header ?? dedupe?.field ?? (verify === null ? "default keys" : "signature")] : []),
        ...(isAnyLimited ? [rateLimit === null ? "no" : `${rateLimit.requests}/${rateLimit.per}`] : []),
        paint("dim", file),
      ],
    ),
    paint,
  });
}

function unknownEndpoint(endpoint: string, triggers: readonly Trigger[]): Failure {
  const hint = didYouMean(
    endpoint,
    triggers.map((trigger) => trigger.endpoint),
  );
  return new Failure(`No trigger listens on ${JSON.stringify(endpoint)}.${hint}`, {
    code: "unknown_endpoint",
    fix: listsTriggers,
  });
}

export function registerTriggersUrl(triggers: CliCommand, runner: CommandRunner): void {
  triggers
    .subcommand("url", "Print the URL to give to a sender, with its token", [
      "signalbox triggers url new-signup",
      'curl -d @body.json -H "content-type: application/json" "$(signalbox triggers url billing)"',
    ])
    .argument("<slug-or-endpoint>", "A trigger or an endpoint")
    .action(runner.action(showUrl));
}

async function showUrl(context: CommandContext, slugOrEndpoint: string): Promise<void> {
  const api = await context.api();
  const document = await api.request({
    path: "/url",
    query: { for: slugOrEndpoint },
    answer: urlAnswer,
    notFoundFix: listsTriggers,
  });
  context.print({ document, text: () => `${document.url}\n` });
}

export function registerTriggersSwitch(triggers: CliCommand, runner: CommandRunner): void {
  triggers
    .subcommand("disable", "Disable a trigger: it starts no runs until you enable it", [
      'signalbox triggers disable new-signup --reason "the mail server is down"',
    ])
    .argument("<slug>", "A trigger")
    .option("--reason <words>", "Reason, shown in the verdicts")
    .action(runner.action(disable));
  triggers
    .subcommand("enable", "Enable a disabled trigger", ["signalbox triggers enable new-signup"])
    .argument("<slug>", "A trigger")
    .action(runner.action(enable));
}

async function disable(context: CommandContext, slug: string, { reason }: { reason?: string }): Promise<void> {
  const api = await context.api();
  const document = await api.request({
    method: "POST",
    path: apiPath`/triggers/${slug}/disable`,
    body: reason === undefined ? {} : { reason },
    answer: switchedAnswer,
    notFoundFix: listsTriggers,
  });
  context.print({
    document,
    text: () => `${slug} is disabled. \`signalbox triggers enable ${slug}\` enables it.\n`,
  });
}

async function enable(context: CommandContext, slug: string): Promise<void> {
  const api = await context.api();
  const document = await api.request({
    method: "POST",
    path: apiPath`/triggers/${slug}/enable`,
    answer: switchedAnswer,
    notFoundFix: listsTriggers,
  });
  context.print({ document, text: () => `${slug} is enabled.\n` });
}
