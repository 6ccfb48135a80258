import { type AnyNode, type Comment, type Identifier, type ImportDeclaration, parse } from "acorn";
import { analyze, type Variable } from "eslint-scope";
import { posix } from "node:path";
import { textOf, visit } from "../bundle/syntax.ts";

/** A file of the code bundle. */
export interface CodeFile {
  /** Path below the build folder, with `/`. */
  path: string;
  code: string;
}

/** Who wrote a module: the project, Signalbox, or a package that is part of the bundle. */
type Author = "project" | "signalbox" | "package";

/** The module that a part of a built file comes from: esbuild writes a comment with its path above it. */
interface Module {
  path: string;
  author: Author;
}

/** A node of a file. */
export interface Place<Node = AnyNode> {
  file: ParsedFile;
  node: Node;
}

export interface ParsedFile {
  path: string;
  /** Those of the project's own modules, in the order of the text. */
  nodes: readonly AnyNode[];
  imports: readonly ImportDeclaration[];
  /** Exported name → the name in the file. */
  exports: ReadonlyMap<string, Identifier>;
  /** The modules of packages that are part of the file. */
  packageCode: string;
  parentOf: (node: AnyNode) => AnyNode | null;
  moduleOf: (node: AnyNode) => Module;
  /** The variable of an identifier. `null`: it is global, or no variable. */
  variableOf: (node: Identifier) => Variable | null;
}

export interface BuiltCode {
  files: readonly ParsedFile[];
  /** Every place where code reads the variable, also where other files import it. */
  readsOf: (file: ParsedFile, variable: Variable) => Place[];
  /** Where a name is defined, even if it was imported from another file. `null`: it is global. */
  definitionOf: (place: Place<Identifier>) => Definition | null;
}

/** A name, where it is defined. */
interface Definition extends Place<Identifier> {
  variable: Variable;
  /** The import, function or declaration. `null`: none, e.g. for a parameter. */
  of: AnyNode | null;
  /** Of a variable that has a name of its own in its declaration, and no other value later. */
  init: AnyNode | null;
}

/** Parses the files of a build, which are modules of JavaScript as esbuild writes it. */
export function parseBuiltCode(files: readonly CodeFile[]): BuiltCode {
  const parsed = files.map(parseFile);
  const byPath = new Map(parsed.map((file) => [file.path, file]));
  /** By `import()`: code can read each of their exports. */
  const loadedLater = new Set<string>();
  const importers = new Map<string, Place<Identifier>[]>();
  for (const file of parsed) {
    for (const node of file.nodes)
      if (node.type === "ImportExpression") loadedLater.add(resolvePath(file, textOf(node.source)));
    for (const { source, specifiers } of file.imports) {
      const path = resolvePath(file, source.value);
      for (const specifier of specifiers) {
        if (specifier.type !== "ImportSpecifier") continue;
        const key = `${path} ${nameOf(specifier.imported)}`;
        importers.set(key, [...(importers.get(key) ?? []), { file, node: specifier.local }]);
      }
    }
  }

  function readsOf(file: ParsedFile, variable: Variable, known = new Set<Variable>()): Place[] {
    if (known.has(variable)) return [];
    known.add(variable);
    return variable.references.flatMap((reference): Place[] => {
      if (!reference.isRead()) return [];
      const node = reference.identifier as Identifier;
      const parent = file.parentOf(node);
      if (parent?.type !== "ExportSpecifier" || loadedLater.has(file.path)) return [{ file, node }];
      return (importers.get(`${file.path} ${nameOf(parent.exported)}`) ?? []).flatMap((local) => {
        const imported = local.file.variableOf(local.node);
        return imported ? readsOf(local.file, imported, known) : [];
      });
    });
  }

  function definitionOf({ file, node }: Place<Identifier>): Definition | null {
    const variable = file.variableOf(node);
    const definition = variable?.defs[0];
    if (!variable || !definition) return null;
    const name = definition.name as Identifier;
    const found = { file, node: name, variable, init: null };
    const parent = definition.node as AnyNode;
    if (definition.type === "ImportBinding") {
      const source = file.parentOf(parent);
      const from =
        source?.type === "ImportDeclaration" ? byPath.get(resolvePath(file, source.source.value)) : undefined;
      const exported = from && parent.type === "ImportSpecifier" && from.exports.get(nameOf(parent.imported));
      return (exported && definitionOf({ file: from, node: exported })) || { ...found, of: parent };
    }
    if (definition.type === "FunctionName") return { ...found, of: parent };
    if (definition.type !== "Variable" || parent.type !== "VariableDeclarator") return { ...found, of: null };
    const init = parent.id === name && isConstant(variable) ? (parent.init ?? null) : null;
    return { ...found, of: parent, init };
  }

  return { files: parsed, readsOf: (file, variable) => readsOf(file, variable), definitionOf };
}

/** Whether it keeps the value of its declaration. */
export function isConstant({ references }: Variable): boolean {
  return references.every((reference) => !reference.isWrite() || reference.init === true);
}

function parseFile({ path, code }: CodeFile): ParsedFile {
  const comments: Comment[] = [];
  const program = parse(code, {
    ecmaVersion: "latest",
    sourceType: "module",
    allowHashBang: true,
    onComment: comments,
    // The analysis of scopes needs them.
    ranges: true,
  });
  const variables = new Map<AnyNode, Variable>();
  // Its types are those of ESTree, which has no positions.
  const { scopes } = analyze(program as never, { ecmaVersion: 2024, sourceType: "module" });
  for (const scope of scopes) {
    for (const variable of scope.variables)
      for (const identifier of variable.identifiers) variables.set(identifier as AnyNode, variable);
    for (const { identifier, resolved } of scope.references)
      if (resolved) variables.set(identifier as AnyNode, resolved);
  }
  const starts = comments
    .filter(({ type, start }) => type === "Line" && (start === 0 || code[start - 1] === "\n"))
    .map(({ start, value }) => ({ start, module: toModule(value.trim()) }));
  const moduleOf = ({ start }: AnyNode) => starts.findLast((one) => one.start <= start)?.module ?? unknownModule;
  const parents = new Map<AnyNode, AnyNode>();
  const nodes: AnyNode[] = [];
  const ofPackages: string[] = [];
  for (const statement of program.body) {
    const { author } = moduleOf(statement);
    if (author === "package") ofPackages.push(code.slice(statement.start, statement.end));
    visit(statement, program, (node, parent) => {
      if (author === "project") nodes.push(node);
      if (parent) parents.set(node, parent);
    });
  }
  const specifiers = program.body.flatMap((node) => (node.type === "ExportNamedDeclaration" ? node.specifiers : []));
  return {
    path,
    nodes,
    imports: program.body.filter((node) => node.type === "ImportDeclaration"),
    exports: new Map(
      specifiers.flatMap(({ exported, local }) =>
        local.type === "Identifier" ? [[nameOf(exported), local] as const] : [],
      ),
    ),
    packageCode: ofPackages.join("\n"),
    parentOf: (node) => parents.get(node) ?? null,
    moduleOf,
    variableOf: (node) => variables.get(node) ?? null,
  };
}

/** The code that esbuild writes above all modules. */
const unknownModule: Module = { path: "", author: "signalbox" };

function toModule(path: string): Module {
  if (path.startsWith("signalbox:")) return { path, author: "signalbox" };
  return { path, author: /^(\.\.\/)*node_modules\//.test(path) ? "package" : "project" };
}

function resolvePath({ path }: ParsedFile, source: unknown): string {
  return String(source).startsWith(".") ? posix.join(posix.dirname(path), String(source)) : String(source);
}

function nameOf(node: AnyNode): string {
  return node.type === "Identifier" ? node.name : node.type === "Literal" ? String(node.value) : "";
}
