import type { ProjectSources } from "../ports/project.ts";
import { ProjectError } from "./project-error.ts";

/**
 * A deployed service that cannot check the signatures it was told to check does not start: the build may have been made
 * where the secrets are not. Throws ProjectError, which names the file and the way out, and no secret.
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
