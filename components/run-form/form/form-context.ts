"use client";

import { createContext, useContext } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import type { FormNode } from "../adapt-schema.ts";
import type { Issue } from "../check/trouble.ts";

/** The shared state of the fields of one form. */
export interface FormShared {
  root: JsonSchemaObject;
  /** A unique prefix for the ids of this form. */
  prefix: string;
  /** The visible validation issues by JSON pointer. */
  issues: ReadonlyMap<string, readonly Issue[]>;
  /** The requirement of the trigger's filter at a path. */
  hintAt: (path: readonly (string | number)[]) => string | null;
}

/** One value of the document with its path. */
export interface Place {
  node: FormNode;
  path: readonly (string | number)[];
  isRequired: boolean;
  /** Rendered inside of a field that already has the label. */
  isBare: boolean;
  /** The row of the field has the remove button. */
  isFixed: boolean;
}

export const FormContext = createContext<FormShared | null>(null);
export const PlaceContext = createContext<Place | null>(null);

export function useFormShared(): FormShared {
  const shared = useContext(FormContext);
  if (!shared) throw new Error("A form field is rendered outside of its form.");
  return shared;
}

export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (!place) throw new Error("A form field is rendered without its path.");
  return place;
}
