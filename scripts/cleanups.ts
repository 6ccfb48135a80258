export type CleanUp = () => void | Promise<void>;
/** Takes what to do at the end, of a test (`onTestFinished`) or of a fixture. */
export type OnCleanup = (cleanUp: CleanUp) => void;

/** A fixture of Vitest takes one clean-up: takes any number of them, and runs the last one first. */
export function manyCleanups(onCleanup: OnCleanup): OnCleanup {
  const cleanUps: CleanUp[] = [];
  onCleanup(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });
  return (cleanUp) => void cleanUps.push(cleanUp);
}
