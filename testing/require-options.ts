import { didYouMean } from "../server/domain/did-you-mean.ts";

/** Throws a TypeError for an option that does not exist: the runners of tests check no types. */
export function requireOptions(given: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(given))
    if (!known.includes(name))
      throw new TypeError(
        `${where}: there is no option ${name}.${didYouMean(name, known)} The options are ${known.join(", ")}.`,
      );
}
