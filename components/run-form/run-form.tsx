"use client";

import dynamic from "next/dynamic";
import { FormSkeleton } from "./form-skeleton.tsx";
import type { RunSubject } from "./run-subject.ts";

export interface RunFormProps {
  subject: RunSubject;
  /** JSON to start with. */
  initialText?: string;
  /** What that is, in words: "this delivery". */
  initialLabel?: string;
  /** Hears of every change of the draft. */
  onText?: (text: string) => void;
}

const LoadedRunForm = dynamic(() => import("./run-form-panel.tsx").then(({ RunFormPanel }) => RunFormPanel), { ssr: false, loading: () => <FormSkeleton /> });

/** A form for a test event, a run, or a replay with changes. Loaded when it is first shown. */
export function RunForm(props: RunFormProps) {
  return <LoadedRunForm {...props} />;
}
