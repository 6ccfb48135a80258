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
