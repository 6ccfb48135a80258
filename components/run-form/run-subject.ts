import type { PresetSubject } from "../../server/contract/preset.ts";
import type { Target } from "../../server/contract/project/target.ts";

/**
 * The subject of a form: a delivery to the endpoint of a trigger, a run of one target, or a replay of a run with
 * changes. A run has an input, or a payload through a trigger.
 */
export type RunSubject =
  | { kind: "trigger"; slug: string; endpoint: string }
  | { kind: "target"; target: Target; via?: { trigger: string; endpoint: string } }
  | { kind: "replay"; runId: string; of: "payload" | "input"; trigger: string | null; target: Target };

/** The trigger whose `request` the form follows; `null`: the target's `input`. */
export function triggerOf(subject: RunSubject): string | null {
  if (subject.kind === "trigger") return subject.slug;
  if (subject.kind === "target") return subject.via?.trigger ?? null;
  return subject.of === "payload" ? subject.trigger : null;
}

/** The endpoint whose bodies can fill the form; `null`: none. */
export function endpointOf(subject: RunSubject): string | null {
  if (subject.kind === "trigger") return subject.endpoint;
  return subject.kind === "target" ? (subject.via?.endpoint ?? null) : null;
}

export function targetOf(subject: RunSubject): Target | null {
  return subject.kind === "trigger" ? null : subject.target;
}

/** Whether the form edits the prompt of an agent, and not the payload of a trigger. */
export function isPrompt(subject: RunSubject): boolean {
  return triggerOf(subject) === null && targetOf(subject)?.kind === "agent";
}

/** A replay uses the presets of its trigger or target. */
export function presetSubjectOf(subject: RunSubject): PresetSubject {
  const trigger = triggerOf(subject);
  if (trigger !== null) return { kind: "trigger", slug: trigger };
  return subject.kind === "trigger" ? { kind: "trigger", slug: subject.slug } : subject.target;
}

/** The storage key of the draft of a form. */
export function storageKeyOf(subject: RunSubject): string {
  if (subject.kind === "replay") return `signalbox.draft:replay:${subject.runId}:${subject.of}`;
  const { kind, slug } = presetSubjectOf(subject);
  return `signalbox.draft:${kind}:${slug}`;
}
