import type { PresetSubject } from "../../server/contract/preset.ts";
import type { Target } from "../../server/contract/target.ts";

/**
 * What a form starts: a delivery to a trigger's endpoint, a run of one target (of its input, or of a payload through a
 * trigger), or an earlier run again with changes.
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

/** The endpoint whose bodies the form takes; `null`: it takes none. */
export function endpointOf(subject: RunSubject): string | null {
  if (subject.kind === "trigger") return subject.endpoint;
  return subject.kind === "target" ? (subject.via?.endpoint ?? null) : null;
}

export function targetOf(subject: RunSubject): Target | null {
  return subject.kind === "trigger" ? null : subject.target;
}

/** Whether the form is for what an agent is asked, and not for a payload that a trigger makes that of. */
export function isPrompt(subject: RunSubject): boolean {
  return triggerOf(subject) === null && targetOf(subject)?.kind === "agent";
}

/** Presets of a replay are those of what it replays. */
export function presetSubjectOf(subject: RunSubject): PresetSubject {
  const trigger = triggerOf(subject);
  if (trigger !== null) return { kind: "trigger", slug: trigger };
  return subject.kind === "trigger" ? { kind: "trigger", slug: subject.slug } : subject.target;
}

/** Where the draft of a form is kept over a reload. */
export function storageKeyOf(subject: RunSubject): string {
  if (subject.kind === "replay") return `signalbox.draft:replay:${subject.runId}:${subject.of}`;
  const { kind, slug } = presetSubjectOf(subject);
  return `signalbox.draft:${kind}:${slug}`;
}
