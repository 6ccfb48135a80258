"use client";

import { createContext, useContext } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import type { FormNode } from "../adapt-schema.ts";
import type { Trouble } from "../check/trouble.ts";

/** What every place of one form shares. */
export interface FormShared {
  root: JsonSchemaObject;
  /** Tells this form's fields from another's on the page. */
  prefix: string;
  /** What is wrong and shall be seen now, by JSON pointer. */
  troubles: ReadonlyMap<string, readonly Trouble[]>;
  /** What must hold beyond the schema at a place, in words: the trigger's filter. */
  hintAt: (path: readonly (string | number)[]) => string | null;
}

/** One place of the document. */
export interface Place {
  node: FormNode;
  path: readonly (string | number)[];
  isRequired: boolean;
  /** Drawn inside a place that bears the label already. */
  isBare: boolean;
  /** Its row has the button that takes it away. */
  isFixed: boolean;
}

export const FormContext = createContext<FormShared | null>(null);
export const PlaceContext = createContext<Place | null>(null);

export function useFormShared(): FormShared {
  const shared = useContext(FormContext);
  if (!shared) throw new Error("A form's field stands outside its form.");
  return shared;
}

export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (!place) throw new Error("A form's field stands outside its place.");
  return place;
}
