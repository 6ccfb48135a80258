import type { RJSFValidationError, ValidatorType } from "@rjsf/utils";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { checkDraft } from "../check/check-draft.ts";
import type { Draft } from "../draft/draft.ts";

/**
 * The validator that react-jsonschema-form calls before it submits. It validates with the exported schema as draft
 * 2020-12, regardless of `$schema`. It is an interpreter, because the Content Security Policy forbids generated code.
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
    // Issues are shown by pointer, because the error tree of react-jsonschema-form has no absent fields.
    validateFormData: (draft) => ({ errors: errorsOf(draft), errorSchema: {} }),
    isValid: (_, draft) => errorsOf(draft).length === 0,
    rawValidation: <Result>() => ({ errors: [] as Result[] }),
  };
}
