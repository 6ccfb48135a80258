import type { Shape, ShapeField } from "./shape.ts";
import { formatCode } from "./string-facts.ts";

/** The Zod code of a schema, with the evidence of each field in a comment. `indent`: of the line where it begins. */
export function writeSchema(shape: Shape, indent = ""): string {
  switch (shape.kind) {
    case "format":
      return formatCode[shape.format];
    case "literals":
      return shape.values.length === 1
        ? `z.literal(${quote(shape.values[0] ?? "")})`
        : `z.enum([${shape.values.map(quote).join(", ")}])`;
    case "array":
      return `z.array(${writeSchema(shape.item, indent)})`;
    case "record":
      return `z.record(z.string(), ${writeSchema(shape.value, indent)})`;
    case "object": {
      const others = shape.others ? `.catchall(${writeSchema(shape.others, indent)})` : "";
      return `z.object({\n${shape.fields.map((field) => writeField(field, `${indent}  `)).join("")}${indent}})${others}`;
    }
    case "union":
      return `z.union([${shape.options.map((option) => writeSchema(option, indent)).join(", ")}])`;
    case "nullable":
      return `${writeSchema(shape.inner, indent)}.nullable()`;
    case "integer":
      return "z.int()";
    default:
      return `z.${shape.kind}()`;
  }
}

/** The evidence is at the end of the field's first line. */
function writeField({ name, shape, isOptional, evidence }: ShapeField, indent: string): string {
  const code = `${indent}${propertyName(name)}: ${writeSchema(shape, indent)}${isOptional ? ".optional()" : ""},`;
  const end = code.indexOf("\n");
  const comment = ` // ${evidence}`;
  return end === -1 ? `${code}${comment}\n` : `${code.slice(0, end)}${comment}${code.slice(end)}\n`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

/** A string literal on one line. */
export function quote(text: string): string {
  return JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
