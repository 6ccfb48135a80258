/** The built project cannot be used. The message is one line: the problem, its file, and how to fix it. */
export class ProjectError extends Error {
  override readonly name = "ProjectError";
}
