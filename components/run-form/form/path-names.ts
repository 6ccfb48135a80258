import { visibleText } from "../../../server/shared/schema/visible-text.ts";

type Path = readonly (string | number)[];

/** `data.amount`, `lines[0].name`; ambiguous names are quoted, and invisible characters are escaped. */
export function nameOfPath(path: Path): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    if (!/^[\p{L}\p{N}_$-]+$/u.test(step)) return `${name}[${visibleText(JSON.stringify(step), 200)}]`;
    return name === "" ? step : `${name}.${step}`;
  }, "");
}

/** A unique id for a path, for any names. */
export function idOfPath(prefix: string, path: Path): string {
  const steps = path.map((step) =>
    String(step).replaceAll(/[^A-Za-z0-9-]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`),
  );
  return [prefix, ...steps].join("__");
}
