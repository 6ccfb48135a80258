/** The built project cannot be used. The message is one line: what, where, and the way out. */
export class ProjectError extends Error {
  override readonly name = "ProjectError";
}
