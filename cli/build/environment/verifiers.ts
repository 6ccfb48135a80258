import type { AnyNode, CallExpression, Identifier } from "acorn";
import * as schemes from "../../../sdk/verify/index.ts";
import { keyOf } from "../bundle/syntax.ts";
import type { BuiltCode, ParsedFile, Place } from "./built-code.ts";

/** Whether an option of `signalbox/verify` contains secrets, or code that only verifies. */
export function isOfSecret(option: string): boolean {
  return ["secret", "publicKey", "topicArn", "verifyToken", "audience", "appId", "check"].includes(option);
}

function isScheme(name: string): boolean {
  // A number is added to a name that occurs twice in a built file.
  return Object.hasOwn(schemes, name.replace(/\d+$/, ""));
}

/** The maximum number of other names between a name and its definition. */
const maxNames = 8;

/** Finds the calls that verify signatures. */
export function createVerifierReader({ definitionOf }: Pick<BuiltCode, "definitionOf">) {
  /** Whether a call verifies signatures: `github({ … })`, or `github.on("push", { … })` of a typed source. */
  function verifierOf({ file, node }: Place<CallExpression>): "scheme" | "source" | null {
    const { callee } = node;
    if (callee.type === "Identifier") {
      const found = signalboxDefinition(file, callee);
      return found && isScheme(found.name) ? "scheme" : null;
    }
    if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return null;
    const found = signalboxDefinition(file, callee.object);
    const name = keyOf(callee.property, callee.computed) ?? "";
    if (!found) return null;
    if (isScheme(name)) return "scheme";
    const made = found.init;
    const isSource =
      made?.type === "CallExpression" &&
      made.callee.type === "Identifier" &&
      made.callee.name.startsWith("createEventSources");
    return isSource && name === "on" ? "source" : null;
  }

  /** A name of the SDK, also by another name, or taken from its namespace. */
  function signalboxDefinition(
    file: ParsedFile,
    node: Identifier,
    depth = 0,
  ): { name: string; init: AnyNode | null } | null {
    const found = definitionOf({ file, node });
    if (!found || depth > maxNames) return null;
    if (found.file.moduleOf(found.node).author === "signalbox") return { name: found.node.name, init: found.init };
    if (found.init?.type === "Identifier") return signalboxDefinition(found.file, found.init, depth + 1);
    const { of } = found;
    if (of?.type !== "VariableDeclarator" || of.id.type !== "ObjectPattern" || of.init?.type !== "Identifier")
      return null;
    const property = of.id.properties.find((one) => one.type === "Property" && one.value === found.node);
    const namespace = property && signalboxDefinition(found.file, of.init, depth + 1);
    const name = property?.type === "Property" ? keyOf(property.key, property.computed) : null;
    return namespace && name !== null ? { name, init: null } : null;
  }

  function containsVerification({ file, node }: Place): boolean {
    if (node.type !== "ConditionalExpression" && node.type !== "LogicalExpression") return false;
    return file.nodes.some(
      (one) =>
        one.type === "CallExpression" &&
        one.start >= node.start &&
        one.end <= node.end &&
        verifierOf({ file, node: one }) !== null,
    );
  }

  /** The verification that a node is part of, unless it is part of another option than those of secrets. */
  function verificationAround({ file, node }: Place): Place<CallExpression> | null {
    let isOther = false;
    for (let inner = node, around = file.parentOf(node); around; inner = around, around = file.parentOf(around)) {
      if (around.type === "Property" && around.value === inner) {
        const option = keyOf(around.key, around.computed);
        isOther = option !== null && !isOfSecret(option);
      }
      if (around.type !== "CallExpression" || around.callee === inner) continue;
      const verifier = verifierOf({ file, node: around });
      if (verifier === "scheme" || (verifier === "source" && around.arguments[1] === inner))
        return isOther ? null : { file, node: around };
    }
    return null;
  }

  return { verifierOf, containsVerification, verificationAround };
}
