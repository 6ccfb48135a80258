"use client";

import { useId, useMemo } from "react";
import { agentInputSchema } from "../../../server/contract/agent/input.ts";
import { MarkedText } from "../../json/marked-text.tsx";
import { cutPieces, splitMarks } from "../../json/split-marks.ts";
import type { Issue } from "../check/check-value.ts";
import { type Draft, draftOf, draftOfJson, draftToJson, memberOf, withMember } from "../draft/draft.ts";
import { IssueList } from "../form/field-template.tsx";
import { fieldClass } from "../form/form-context.ts";
import { moveMarks, withLineFeeds } from "./move-marks.ts";

interface Props {
  draft: Draft;
  issues: readonly Issue[];
  formId: string;
  onDraft: (draft: Draft) => void;
  onLeave: (pointer: string) => void;
  onSubmit: () => void;
}

const shown = { lines: 12, characters: 1_500, pieces: 100 };

/** Whether a draft can be edited as a prompt: an object whose `prompt` is a string or absent. */
export function hasPrompt(draft: Draft): boolean {
  return draft.is === "object" && (memberOf(draft, "prompt")?.draft.is ?? "string") === "string";
}

/**
 * Edits the prompt of an agent. Below it, parts that came from a payload are marked. They stay marked while the prompt
 * is edited.
 */
export function PromptForm({ draft, issues, formId, onDraft, onLeave, onSubmit }: Props) {
  const id = useId();
  const member = memberOf(draft, "prompt")?.draft;
  const prompt = member?.is === "string" ? member.text : "";
  const input = useMemo(() => agentInputSchema.safeParse(draftToJson(draft)).data, [draft]);
  const { pieces, isCut } = useMemo(() => cutPieces(input ? splitMarks(input) : [], shown), [input]);
  const edit = (text: string) => {
    const changed = withMember(draft, "prompt", draftOf.text(text));
    onDraft(
      input && input.marks.length > 0
        ? withMember(changed, "marks", draftOfJson(moveMarks(withLineFeeds(input), text).marks))
        : changed,
    );
  };
  return (
    <form
      id={formId}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      className="grid min-w-0 gap-3"
    >
      <div data-pointer="/prompt" className="grid min-w-0 gap-1">
        <label htmlFor={id} className="text-s text-ink-3">
          <span className="font-medium text-ink-2">Prompt</span> sent to the agent
        </label>
        <textarea
          id={id}
          rows={6}
          value={prompt}
          spellCheck
          autoComplete="off"
          aria-invalid={issues.length > 0 || undefined}
          aria-describedby={issues.length > 0 ? `${id}-error` : undefined}
          onChange={(event) => edit(event.target.value)}
          onBlur={() => onLeave("/prompt")}
          className={`${fieldClass} h-auto max-h-[50vh] min-h-32 resize-y py-2 font-sans [field-sizing:content]`}
        />
        <IssueList id={id} issues={issues} />
      </div>
      {input && input.marks.length > 0 && (
        <div className="overflow-hidden rounded-m border">
          <MarkedText pieces={pieces} label="Prompt with marked payload data" isCut={isCut} />
          <p className="border-t px-4 py-2 text-s text-ink-3">
            Marked parts count as payload data, even after you edit them. The model gets them as data, never as
            instructions.
          </p>
        </div>
      )}
    </form>
  );
}
