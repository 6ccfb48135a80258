"use client";

// Not the main export of the package: it includes another validator, which generates code from schemas.
import withTheme from "@rjsf/core/lib/withTheme.js";
import type { Draft } from "../draft/draft.ts";
import { BooleanEntry, NullEntry } from "./boolean-entry.tsx";
import { ChoiceEntry } from "./choice-entry.tsx";
import { JsonEntry } from "./json-entry.tsx";
import { ListEntry } from "./list-entry.tsx";
import { NumberEntry } from "./number-entry.tsx";
import { ObjectEntry } from "./object-entry.tsx";
import { PlaceTemplate } from "./place-template.tsx";
import { TextEntry } from "./text-entry.tsx";
import { UnionEntry } from "./union-entry.tsx";

/** React-jsonschema-form with our own fields and field template. */
export const ThemedForm = withTheme<Draft>({
  fields: {
    BooleanEntry,
    ChoiceEntry,
    JsonEntry,
    ListEntry,
    NullEntry,
    NumberEntry,
    ObjectEntry,
    TextEntry,
    UnionEntry,
  },
  templates: { FieldTemplate: PlaceTemplate },
});
