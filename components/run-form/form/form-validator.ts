import type { RJSFValidationError, ValidatorType } from "@rjsf/utils";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { checkDraft } from "../check/check-draft.ts";
import type { Draft } from "../draft/draft.ts";

/**
 * What react-jsonschema-form asks before it submits. Looks at the exported schema itself, not at what the form was
 * given, and takes it as 2020-12 whatever its `$schema` says. It interprets: the page's Content Security Policy forbids
 * code made of text.
 */
export function createFormValidator(schema: JsonSchemaObject): ValidatorType<Draft> {
  const errorsOf = (draft: Draft | undefined): RJSFValidationError[] =>
    draft === undefined
      ? []
      : checkDraft(schema, schema, draft).map(({ pointer, code, message }) => ({
          name: code,
          property: pointer,
          message,
          stack: `${pointer} ${message}`,
        }));
  return {
    // Where things are wrong is shown by pointer: react-jsonschema-form's own tree of errors knows no place that is absent.
    validateFormData: (draft) => ({ errors: errorsOf(draft), errorSchema: {} }),
    isValid: (_, draft) => errorsOf(draft).length === 0,
    rawValidation: <Result>() => ({ errors: [] as Result[] }),
  };
}
