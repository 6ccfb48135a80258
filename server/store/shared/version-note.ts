/** The message in the timeline of a run if another version executes it than the one that accepted it. */
export function versionNote(p: { acceptedBy: string; executedBy: string | undefined }): { message?: string } {
  if (p.executedBy === undefined || p.executedBy === p.acceptedBy) return {};
  return {
    message: `Executed by version ${p.executedBy}: no worker has version ${p.acceptedBy}, which accepted the run.`,
  };
}
