import { randomUUID } from "node:crypto";
import type { ProblemError } from "../../contract/problem.ts";
import type { InputChecks } from "../../ports/input-checks.ts";
import type { InputQuestion } from "../protocol.ts";

/** Lets the supervisor check inputs: this process does not have the environment of workers. */
export function createInputCheckLink(send: (question: InputQuestion) => void): InputChecks & {
  handleAnswer(answer: { id: string; errors: ProblemError[] | null }): void;
} {
  const pending = new Map<string, (errors: ProblemError[] | null) => void>();
  return {
    check(p) {
      const answered = Promise.withResolvers<ProblemError[] | null>();
      // Unique, because an answer to an earlier web process may still come.
      const id = randomUUID();
      pending.set(id, answered.resolve);
      send({ type: "check-input", id, ...p });
      return answered.promise;
    },
    handleAnswer({ id, errors }) {
      pending.get(id)?.(errors);
      pending.delete(id);
    },
  };
}
