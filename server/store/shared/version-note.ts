/** What the timeline of a run says where another build executes it than accepted it. */
export function versionNote(p: { acceptedBy: string; executedBy: string | undefined }): { message?: string } {
  if (p.executedBy === undefined || p.executedBy === p.acceptedBy) return {};
  return {
    message: `Executed by version ${p.executedBy}: no worker has version ${p.acceptedBy}, which accepted the run.`,
  };
}
