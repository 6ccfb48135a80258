import type { PresetSubject } from "../../server/contract/preset.ts";
import type { Target } from "../../server/contract/target.ts";

/** What a form starts: test events of a trigger, runs of a target, or an earlier run again with changes. */
export type RunSubject =
  | { kind: "trigger"; slug: string; endpoint: string }
  | { kind: "target"; target: Target }
  | { kind: "replay"; runId: string; of: "payload" | "input"; trigger: string | null; target: Target };

/** The trigger whose `request` the form follows; `null`: the target's `input`. */
export function triggerOf(subject: RunSubject): string | null {
  if (subject.kind === "trigger") return subject.slug;
  return subject.kind === "replay" && subject.of === "payload" ? subject.trigger : null;
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
