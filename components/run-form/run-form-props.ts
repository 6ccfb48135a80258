import type { RunSubject } from "./run-subject.ts";

export interface RunFormProps {
  subject: RunSubject;
  /** JSON to start with. */
  initialText?: string;
  /** A label for it: "this delivery". */
  initialLabel?: string;
  /** Called after every change of the draft. */
  onText?: (text: string) => void;
}
