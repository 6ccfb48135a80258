import type { ProjectSources } from "../ports/project.ts";
import { ProjectError } from "./project-error.ts";

/**
 * Prevents a deployed server from starting without the secrets of its signature checks: builds can run without them.
 * Throws a ProjectError with the file and the fix, but without any secret.
 */
export function requireSecrets({ manifest, triggers, byEndpoint }: ProjectSources): void {
  const fileOf = new Map(manifest.triggers.map(({ attachmentId, file }) => [attachmentId, file]));
  for (const { attachmentId, verify } of triggers) {
    if (!verify?.secretProblem) continue;
    const { kind, words } = verify.secretProblem;
    const wayOut =
      kind === "missing"
        ? "Set its environment variable, then restart the server."
        : "Copy the complete secret from the sender's settings, then restart the server.";
    throw new ProjectError(`${fileOf.get(attachmentId)} › verify › ${verify.scheme}: its secret ${words}. ${wayOut}`);
  }
  for (const [endpoint, group] of byEndpoint) {
    const [first, ...others] = group;
    const fingerprint = first?.verify?.fingerprint();
    const other = others.find(({ verify }) => verify?.fingerprint() !== fingerprint);
    if (!first || !other) continue;
    const files = [first, other].map(({ attachmentId }) => fileOf.get(attachmentId)).join(" and ");
    throw new ProjectError(
      `${files} share the endpoint ${JSON.stringify(endpoint)}, but have different secrets here. Use the same secret in both, then restart the server.`,
    );
  }
}
