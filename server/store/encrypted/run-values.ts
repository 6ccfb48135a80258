import type { ApprovalDecision } from "../../contract/agent/trace.ts";
import type { Json } from "../../contract/json.ts";
import { type EventMatch, eventMatchSchema, type Run, type RunSummary } from "../../contract/run.ts";
import type { TimelineEntry } from "../../contract/timeline.ts";
import { type KeyRing, type RowCipher, sealedBy } from "../../domain/encryption/key-ring.ts";
import { isObject } from "../../shared/schema/json-schema.ts";
import type {
  ClaimedRun,
  EventWait,
  NewTimelineEntry,
  RunTransition,
  StepRecord,
} from "../../ports/store/engine-store.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import type { RunWaits } from "../../ports/store/run-store.ts";

/**
 * The parts of a run that repeat its delivery or that its code wrote: payload, input, output, errors, logs, and the
 * names and results of steps.
 */

export function sealRun(ring: KeyRing, run: NewRun): NewRun {
  const cipher = ring.ofRow(run.id);
  const { assignment } = run;
  return {
    ...run,
    payload: cipher.sealJson(run.payload),
    input: cipher.sealJson(run.input),
    ...(assignment && ring.isOn && { assignment: sealAssignment(assignment) }),
  };
}

/** The text is of the payload that is not encrypted. */
function sealAssignment({ workerId, token, leaseUntil }: NonNullable<NewRun["assignment"]>) {
  return { workerId, token, leaseUntil };
}

export function openRunSummary(ring: KeyRing, stored: RunSummary): RunSummary {
  return { ...stored, error: stored.error && openError(ring.ofRow(stored.id), stored.error) };
}

export function openRun<Stored extends Run>(ring: KeyRing, stored: Stored): Stored {
  const cipher = ring.ofRow(stored.id);
  return {
    ...stored,
    payload: cipher.openJson(stored.payload),
    input: cipher.openJson(stored.input),
    output: cipher.openJson(stored.output),
    error: stored.error && openError(cipher, stored.error),
  };
}

export function openClaimedRun(ring: KeyRing, { payloadText, inputText, ...run }: ClaimedRun): ClaimedRun {
  const cipher = ring.ofRow(run.id);
  return {
    ...run,
    payloadText: payloadText === null ? null : cipher.openJsonText(payloadText),
    inputText: inputText === null ? null : cipher.openJsonText(inputText),
  };
}

interface AnyError {
  name: string;
  message: string;
  stack?: string | null;
}

/** A name and a message are encrypted together, so that lists, which have no stacks, can show them. */
export function openError<Stored extends AnyError>(cipher: RowCipher, stored: Stored): Stored {
  if (sealedBy(stored.message) === null) return stored;
  // The store wrote this JSON.
  const text = cipher.openJson(stored.message) as unknown as { name: string; message: string };
  return { ...stored, ...text, ...(typeof stored.stack === "string" && { stack: cipher.openText(stored.stack) }) };
}

/**
 * Encrypts what one write has about a run. Equal errors have equal results within it: the store does not record an
 * entry of the timeline that the end of the run implies.
 */
export interface ProgressSeal {
  entry(entry: NewTimelineEntry): NewTimelineEntry;
  transition(transition: RunTransition): RunTransition;
  step(step: StepRecord, storedName: string | undefined): StepRecord;
  wait(wait: EventWait, storedName: string | undefined): EventWait;
  child(run: NewRun, storedName: string | undefined): NewRun;
}

export function createProgressSeal(ring: KeyRing, runId: string): ProgressSeal {
  const cipher = ring.ofRow(runId);
  const errors = new Map<string, AnyError>();

  function sealError<Given extends AnyError>(error: Given): Given {
    const key = JSON.stringify([error.name, error.message, error.stack]);
    const sealed = errors.get(key) ?? {
      name: "encrypted",
      message: String(cipher.sealJson({ name: error.name, message: error.message })),
      ...(typeof error.stack === "string" && { stack: cipher.sealText(error.stack) }),
    };
    errors.set(key, sealed);
    return { ...error, ...sealed };
  }

  return {
    wait: (wait, storedName) => ({
      ...wait,
      step: storedName ?? cipher.sealName(wait.step),
      storedMatch: sealMatch(cipher, wait.match),
    }),
    child(run, storedName) {
      const { child } = run;
      return {
        ...sealRun(ring, run),
        ...(child && { child: { ...child, step: storedName ?? cipher.sealName(child.step) } }),
      };
    },
    entry(entry) {
      const { kind, name, message, error, data } = entry;
      return {
        ...entry,
        ...(name !== undefined && { name: isOfApproval(kind) ? name : cipher.sealName(name) }),
        ...(message !== undefined && { message: cipher.sealText(message) }),
        ...(error && ring.isOn && { error: sealError(error) }),
        ...(data !== undefined && { data: cipher.sealJson(data) }),
      };
    },
    transition(transition) {
      if (transition.to === "completed") return { ...transition, output: cipher.sealJson(transition.output) };
      if (transition.to === "waiting" || transition.to === "queued" || !transition.error || !ring.isOn)
        return transition;
      return { ...transition, error: sealError(transition.error) };
    },
    step(step, storedName) {
      const { kind, name, result } = step;
      // An approval is decided by its name, which is made of numbers and the name of the tool.
      if (kind === "approval") return { ...step, result: mapApproval(result, cipher.sealJson, cipher.sealText) };
      return { ...step, name: storedName ?? cipher.sealName(name), result: cipher.sealJson(result) };
    },
  };
}

/** Values of other types are strings as well, but never equal to one that was a string. */
function sealMatch(cipher: RowCipher, match: EventMatch): EventMatch {
  return Object.fromEntries(
    Object.entries(match).map(([path, value]) => {
      const sealed = cipher.sealJson(value);
      return [path, typeof sealed === "string" ? sealed : value];
    }),
  );
}

export function openMatch(cipher: RowCipher, stored: EventMatch): EventMatch {
  return eventMatchSchema.parse(
    Object.fromEntries(Object.entries(stored).map(([path, value]) => [path, cipher.openJson(value)])),
  );
}

export function openWaits(cipher: RowCipher, waits: RunWaits): RunWaits {
  const { waitsFor } = waits;
  if (waitsFor?.kind !== "event") return waits;
  const events = waitsFor.events.map(({ source, match }) => ({ source, match: openMatch(cipher, match) }));
  return { ...waits, waitsFor: { ...waitsFor, step: cipher.openText(waitsFor.step), events } };
}

export function openStep<Stored extends StepRecord>(cipher: RowCipher, stored: Stored): Stored {
  const { kind, name, result } = stored;
  if (kind === "approval") return { ...stored, result: mapApproval(result, cipher.openJson, cipher.openText) };
  return { ...stored, name: cipher.openText(name), result: cipher.openJson(result) };
}

export function openEntry(cipher: RowCipher, stored: TimelineEntry): TimelineEntry {
  const { kind, name, message, error, data } = stored;
  const opened = cipher.openJson(data);
  return {
    ...stored,
    name: name === null ? null : cipher.openText(name),
    message: message === null ? null : cipher.openText(message),
    error: error && openError(cipher, error),
    data: kind === "approval_decided" ? mapDecision(opened, cipher.openText) : opened,
  };
}

/** The store adds the decision to the step, and to the timeline. */
export function sealDecision(cipher: RowCipher, decision: ApprovalDecision): ApprovalDecision {
  return { ...decision, reason: decision.reason === null ? null : cipher.sealText(decision.reason) };
}

const isOfApproval = (kind: NewTimelineEntry["kind"]) => kind === "approval_requested" || kind === "approval_decided";

/** The store checks the request of an approval: only the arguments of the tool are encrypted, and a person's reason. */
function mapApproval(result: Json, mapInput: (input: Json) => Json, mapText: (text: string) => string): Json {
  if (!isObject(result)) return result;
  const { request, decision } = result;
  return {
    ...result,
    ...(isObject(request) && request["input"] !== undefined
      ? { request: { ...request, input: mapInput(request["input"]) } }
      : {}),
    ...(decision === undefined ? {} : { decision: mapDecision(decision, mapText) }),
  };
}

function mapDecision(decision: Json, mapText: (text: string) => string): Json {
  if (!isObject(decision) || typeof decision["reason"] !== "string") return decision;
  return { ...decision, reason: mapText(decision["reason"]) };
}
