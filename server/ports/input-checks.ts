import type { Json } from "../contract/json.ts";
import type { ProblemError } from "../contract/problem.ts";
import type { Target } from "../contract/project/target.ts";

/** Parses inputs with the Zod schemas of a build's workflows and agents. */
export interface InputChecks {
  /**
   * The validation issues of an input, at most 20; empty if the schema accepts it. `null`: the schema cannot be
   * evaluated here, e.g. because the module of the workflow cannot be loaded. `version`: a build of this machine.
   */
  check(p: { version: string; target: Target; input: Json }): Promise<ProblemError[] | null>;
}
