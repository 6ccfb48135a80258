import type { AnyNode } from "acorn";
import type { Place } from "./built-code.ts";
import type { Value } from "./values.ts";
import type { createVerifierReader } from "./verifiers.ts";

/** What the code of the project does with a variable. */
export interface TracedVariable {
  /** The calls that verify signatures with it. */
  verifications: Verification[];
  /** Other code gets its value, so it must be the real one. */
  isRead: boolean;
  /** The code expects that it is set. Any string of the same length will do. */
  isExpected: boolean;
}

/** A function of `signalbox/verify`, or a typed source, that gets a variable. */
interface Verification {
  /** The module of the project: a path in the project. */
  module: string;
  /** The variable is the value of `secret`, without a change; a function of `signalbox/verify` has no other option. */
  isOnlySecret: boolean;
}

export interface TracedEnvironment {
  variables: ReadonlyMap<string, TracedVariable>;
  /** The code computes names of variables, or passes the environment to code that may read any of them. */
  readsAny: boolean;
}

/** Records what the code does with the variables that it gets, where following a value ends. */
export function createUseRecorder({
  verificationAround,
  containsVerification,
}: ReturnType<typeof createVerifierReader>) {
  const variables = new Map<string, TracedVariable>();
  const uses = { variables, readsAny: false };

  /** Only whether the value is empty, or how long it is, decides something. */
  function test(place: Place, given: Value, node: AnyNode): void {
    if (given.kind !== "variable" || given.path.length > 0) return;
    if (!verificationAround(place) && !containsVerification({ file: place.file, node })) expect(given.name);
  }

  /** The value cannot be followed further. */
  function lose(place: Place, given: Value): void {
    const verification = verificationAround(place);
    if (given.kind === "variable") {
      if (!verification) return noteRead(given.name);
      const { file, node } = verification;
      verify(given.name, { module: file.moduleOf(node).path, isOnlySecret: false });
      return expect(given.name);
    }
    if (verification) return;
    if (given.check && !given.check.isOpen) for (const name of given.check.variables.keys()) noteRead(name);
    else uses.readsAny = true;
  }

  function noteVariable(name: string): TracedVariable {
    const known = variables.get(name) ?? { verifications: [], isRead: false, isExpected: false };
    variables.set(name, known);
    return known;
  }

  function noteRead(name: string): void {
    noteVariable(name).isRead = true;
  }

  function expect(name: string): void {
    noteVariable(name).isExpected = true;
  }

  function verify(name: string, verification: Verification): void {
    noteVariable(name).verifications.push(verification);
  }

  return { uses, test, lose, noteVariable, noteRead, expect, verify };
}
