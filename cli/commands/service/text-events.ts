import type { DeliverySummary, Origin } from "../../../server/contract/delivery.ts";
import type { Manifest } from "../../../server/contract/project/manifest.ts";
import { differencesFrom, readOrigin } from "../../../server/domain/deliveries/origin.ts";
import { isLoopbackUrl } from "../../../server/domain/requests/local-request.ts";
import { encodeBody } from "../../../server/shared/schema/encode-body.ts";
import { describeWoken } from "../../../server/shared/runs/describe-wait.ts";
import { exampleBody } from "../../../server/shared/schema/example-body.ts";
import { isObject } from "../../../server/shared/schema/json-schema.ts";
import type { RunEndedReport } from "../../../server/processes/protocol.ts";
import { type Diagnostic, renderDiagnostics } from "../../build/diagnostics/diagnostic.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderMark, renderReason, runMarks, verdictMarks } from "../../terminal/status-marks.ts";
import { padEnd } from "../../terminal/table.ts";
import type { Paint, Terminal } from "../../terminal/terminal.ts";
import { queryFormat } from "../../../server/domain/requests/body-format.ts";
import { endpointsOf, type ServiceEvents } from "./service-events.ts";
import { formatLocalTime, formatCount, formatDuration, formatMethods } from "../../../server/shared/format.ts";

/** A short line per event: deliveries, runs and builds on stdout, problems on stderr. */
export function createTextEvents({ terminal, now }: { terminal: Terminal; now(): number }): ServiceEvents {
  const { out, err } = terminal;
  const color = err.hasColor;
  const time = () => out.paint("dim", formatLocalTime(now()));
  const warn = (warnings: readonly Diagnostic[]) =>
    warnings.length > 0 && err.write(`\n${renderDiagnostics(warnings, { color })}\n`);
  return {
    ready({ url, localUrl, store, manifest, mode, warnings }) {
      warn(warnings);
      out.write(
        renderReady({ url, localUrl, store, manifest, paint: out.paint, isDevelopment: mode === "development" }),
      );
    },
    working: () => {},
    reloaded({ manifest, warnings, durationMs }) {
      warn(warnings);
      out.write(
        `${time()}  ${out.paint("good", "↻")} rebuilt as ${manifest.version} in ${formatDuration(durationMs)}: ${countText(manifest)}\n`,
      );
    },
    unchanged({ version, wasBroken }) {
      if (wasBroken)
        out.write(`${time()}  ${out.paint("good", "↻")} fixed: version ${version} is unchanged and still served\n`);
    },
    buildFailed({ diagnostics, serving }) {
      const next = serving ? `Version ${serving} is still served.` : "The service starts as soon as you fix this.";
      err.write(
        `\n${renderDiagnostics(diagnostics, { color })}\n${err.paint("warn", "!")} The build failed. ${next}\n`,
      );
    },
    delivery: (delivery) => out.write(renderDelivery(delivery, { paint: out.paint, now: now() })),
    runEnded: (run) => out.write(renderRunEnded(run, { paint: out.paint, now: now() })),
    notice(level, message) {
      const tone = level === "info" ? "dim" : level === "warn" ? "warn" : "bad";
      err.write(
        `${formatLocalTime(now())}  ${err.paint(tone, level === "info" ? "·" : "!")} ${plainLine(message, 1000)}\n`,
      );
    },
    stopping: () => err.write("Shutting down; active runs return to the queue. Press Ctrl-C again to exit at once.\n"),
  };
}

export function renderReady(details: {
  url: string;
  localUrl: string;
  store: string;
  manifest: Manifest;
  paint: Paint;
  isDevelopment: boolean;
}): string {
  const { url, localUrl, store, manifest, paint, isDevelopment } = details;
  const endpoints = endpointsOf(manifest).map((endpoint) => {
    const triggers = manifest.triggers.filter((trigger) => trigger.endpoint === endpoint);
    const slugs = triggers.map(({ attachmentId }) => attachmentId.replace(":", " → "));
    return `  ${formatMethods(triggers[0]?.methods ?? [])} /triggers/${endpoint}  ${paint("dim", slugs.join(", "))}\n`;
  });
  // The shortest command to paste. Only local requests need no key.
  const [webhook] = (isLoopbackUrl(localUrl) ? manifest.triggers : [])
    .flatMap((trigger) => curlLine(localUrl, trigger) ?? [])
    .sort((a, b) => a.length - b.length);
  return [
    `\n${paint("strong", manifest.name)} ${paint("dim", manifest.version)} ${isDevelopment ? "in development" : "deployed"} on ${paint("link", url)}\n${paint("dim", `Store: ${store}`)}\n`,
    endpoints.length > 0 ? `\n${endpoints.join("")}` : "\nThere are no triggers yet. Write one in triggers/.\n",
    webhook && isDevelopment ? `\nTry it:\n  ${webhook}\n` : "",
    "\n",
  ].join("");
}

/** A curl command to paste, with an example body. `null`: the endpoint takes no body that fits into a line. */
function curlLine(
  url: string,
  { endpoint, request, filter, headers, query, body, methods }: Manifest["triggers"][number],
): string | null {
  const [format = onlyJson] = body;
  const encoded = format.type === "multipart" ? null : encodeBody(format, JSON.stringify(exampleBody(request, filter)));
  if (typeof encoded?.body !== "string") return null;
  const example = headers && exampleBody(headers, null);
  const sent = { "content-type": encoded.contentType, ...(isObject(example) && example) };
  const options = Object.entries(sent).map(([name, value]) => ` -H ${quote(`${name}: ${String(value)}`)}`);
  if (!methods.includes("POST")) return `curl ${quote(`${url}/triggers/${endpoint}?${encoded.body}`)}`;
  const search = query ? encodeBody(queryFormat, JSON.stringify(exampleBody(query, null)))?.body : undefined;
  const target = search ? quote(`${url}/triggers/${endpoint}?${search}`) : `${url}/triggers/${endpoint}`;
  return `curl ${target}${options.join("")} -d ${quote(encoded.body)}`;
}

const onlyJson = { type: "json", bigints: "number" } as const;

/** As one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function countText({ triggers, workflows, agents }: Manifest): string {
  return `${formatCount(triggers.length, "trigger")}, ${formatCount(workflows.length, "workflow")}${agents.length === 0 ? "" : `, ${formatCount(agents.length, "agent")}`}`;
}

export function renderDelivery(delivery: DeliverySummary, { paint, now }: { paint: Paint; now: number }): string {
  const { endpoint, responseStatus, durationMs, verdicts, unlistedVerdicts, problem, outcome } = delivery;
  const tone = responseStatus >= 500 ? "bad" : responseStatus >= 400 ? "warn" : "good";
  const origin = readOrigin(delivery.headers);
  const differences = origin === null ? [] : differencesFrom(origin, verdicts);
  const first = [
    paint("dim", formatLocalTime(now)),
    `${paint("busy", "→")} ${plainLine(delivery.method, 10)} /triggers/${plainLine(endpoint, 80)}`,
    `${paint(tone, String(responseStatus))} ${outcome}`,
    formatDuration(durationMs),
    ...(origin === null ? [] : [renderOrigin(origin, { isSame: differences.length === 0, paint })]),
  ].join("  ");
  const lines = verdicts.map(({ trigger, attachmentId, target, outcome: verdict, runId, reasons }) => {
    const [reason] = reasons;
    const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : "";
    const isWaking = verdict === "matched" && target === null;
    const isWoken = delivery.woke?.some(({ source }) => source === trigger);
    const detail =
      runId ?? (reason ? renderReason(reason, paint) + more : isWaking && !isWoken ? "no run waits for it" : "");
    const other = differences.find((one) => one.attachmentId === attachmentId);
    return [
      `          ${padEnd(renderMark(verdictMarks[verdict], paint), 18)}`,
      trigger,
      ...(detail === "" ? [] : [detail]),
      ...(other ? [paint("warn", `origin: ${other.there ? verdictMarks[other.there].label : "no verdict"}`)] : []),
    ].join("  ");
  });
  for (const { outcome: verdict, pointer, count } of unlistedVerdicts) {
    const where = pointer === null ? "" : `  at ${plainLine(pointer || "the body", 80)}`;
    lines.push(
      `          ${padEnd(renderMark(verdictMarks[verdict], paint), 18)}  ${formatCount(count, "trigger")}${where}`,
    );
  }
  for (const { attachmentId, here, there } of differences)
    if (here === null && there === "matched")
      lines.push(`          ${paint("warn", `origin: matched ${plainLine(attachmentId, 130)}`)}`);
  if (delivery.woke) lines.push(`          ${describeWoken(delivery.woke)}`);
  // Rejected before any trigger evaluated it: only the problem is known.
  if (problem && verdicts.length === 0) lines.push(`          ${plainLine(problem.detail, 160)}`);
  return `${[first, ...lines].join("\n")}\n`;
}

/** The response of the service that received it first, and whether its triggers decided the same. */
function renderOrigin(
  { responseStatus, outcome }: Origin,
  { isSame, paint }: { isSame: boolean; paint: Paint },
): string {
  return paint(isSame ? "dim" : "warn", `${isSame ? "=" : "≠"} origin ${responseStatus} ${outcome}`);
}

export function renderRunEnded(run: RunEndedReport, { paint, now }: { paint: Paint; now: number }): string {
  const name = run.trigger ? `${run.trigger} → ${run.target.slug}` : run.target.slug;
  const attempt = run.attempt > 1 ? `  attempt ${run.attempt}` : "";
  const error = run.error ? `\n          ${plainLine(run.error, 160)}` : "";
  return `${paint("dim", formatLocalTime(now))}  ${renderMark(runMarks[run.status], paint)}  ${name}  ${formatDuration(run.durationMs)}${attempt}  ${run.runId}${error}\n`;
}
