import type { DocumentNode, FieldNode, FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode } from 'graphql';

/** Limits of a query: the size of its text before it is parsed, and its cost before it is executed. */
export const limits = {
  /** Maximum length of a query in UTF-16 code units, the same as on GitLab. */
  longest: 10_000,
  tokens: 4_000,
  /** Maximum number of selections of all operations and fragments. Those of a fragment count wherever it is used. */
  selections: 800,
  aliases: 50,
  /** Maximum nesting depth of fields, for anonymous and signed-in callers. */
  depth: { anonymous: 15, signedIn: 20 },
  /** Maximum cost of the fields, for anonymous and signed-in callers and administrators. */
  complexity: { anonymous: 200, signedIn: 250, administrator: 300 },
  /** Maximum cost of schema introspection, which is measured separately. */
  introspection: 100_000,
  /** Maximum number of cached documents. */
  documents: 100,
} as const;

export interface Allowance {
  readonly depth: number;
  readonly complexity: number;
}

export interface Measured {
  readonly depth: number;
  readonly complexity: number;
  readonly introspection: number;
  readonly aliases: number;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/**
 * Returns the number of selections of a document with expanded fragments. The document need not be valid, so the number limits the work of
 * the validation, which compares selections with each other.
 */
export function countSelections(document: DocumentNode): number {
  const fragments = fragmentsOf(document);
  const known = new Map<string, number>();
  const sizeOf = (set: SelectionSetNode | undefined): number => {
    let size = 0;
    for (const selection of set?.selections ?? []) {
      size += 1 + (selection.kind === 'FragmentSpread' ? sizeOfFragment(selection.name.value) : sizeOf(selection.selectionSet));
    }
    return size;
  };
  const sizeOfFragment = (name: string): number => {
    const before = known.get(name);
    if (before !== undefined) return before;
    // Ends the recursion of a fragment that contains itself, which the validation rejects.
    known.set(name, 0);
    const size = sizeOf(fragments.get(name)?.selectionSet);
    known.set(name, size);
    return size;
  };
  let size = 0;
  for (const definition of document.definitions) {
    if (definition.kind === 'FragmentDefinition') size += sizeOfFragment(definition.name.value);
    if (definition.kind === 'OperationDefinition') size += sizeOf(definition.selectionSet);
  }
  return size;
}

/** List fields of the schema introspection. */
const DESCRIBING_LISTS = ['types', 'fields', 'inputFields', 'interfaces', 'enumValues', 'possibleTypes', 'args', 'directives'];
/** Maximum page size, which is also the default. */
const PAGE = 100;

/**
 * Measures an operation of a valid document. Each field costs 1, and the fields in a connection cost more the larger its page is, as on
 * GitLab.
 * @param isList Returns true if the field with this name is a connection.
 */
export function measure(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  isList: (name: string) => boolean,
): Measured {
  const fragments = fragmentsOf(document);
  let [deepest, aliases] = [0, 0];

  const costOf = (set: SelectionSetNode | undefined, depth: number, describing: boolean): { own: number; about: number } => {
    let [own, about] = [0, 0];
    for (const selection of set?.selections ?? []) {
      if (selection.kind !== 'Field') {
        const inner = selection.kind === 'FragmentSpread' ? fragments.get(selection.name.value) : selection;
        const cost = costOf(inner?.selectionSet, depth, describing);
        own += cost.own;
        about += cost.about;
        continue;
      }
      const name = selection.name.value;
      if (selection.alias !== undefined) aliases += 1;
      const isAbout = describing || name === '__schema' || name === '__type';
      if (!isAbout) deepest = Math.max(deepest, depth + 1);
      const inner = costOf(selection.selectionSet, depth + 1, isAbout);
      if (isAbout) about += (1 + inner.about) * (DESCRIBING_LISTS.includes(name) ? 10 : 1);
      else {
        const cost = 1 + inner.own;
        own += isList(name) ? cost + (cost * lengthOf(selection, variables)) / 100 : cost;
        about += inner.about;
      }
    }
    return { own, about };
  };

  const { own, about } = costOf(operation.selectionSet, 0, false);
  return { depth: deepest, complexity: Math.floor(own), introspection: about, aliases };
}

function lengthOf(field: FieldNode, variables: Readonly<Record<string, unknown>>): number {
  const sizes = (field.arguments ?? []).flatMap(({ name, value }) => {
    if (name.value !== 'first' && name.value !== 'last') return [];
    const size = value.kind === 'Variable' ? variables[value.name.value] : value.kind === 'IntValue' ? Number(value.value) : PAGE;
    return typeof size === 'number' && size >= 0 ? [size] : [];
  });
  return Math.min(PAGE, ...sizes);
}

/** Returns the message for the first exceeded limit, or undefined. */
export function excessOf(measured: Measured, allowed: Allowance): string | undefined {
  const { depth, complexity, introspection, aliases } = measured;
  if (depth > allowed.depth) return `Query has depth of ${depth}, which exceeds max depth of ${allowed.depth}`;
  if (complexity > allowed.complexity) {
    return `Query has complexity of ${complexity}, which exceeds max complexity of ${allowed.complexity}`;
  }
  if (aliases > limits.aliases) return `Query has ${aliases} aliases, which exceeds max aliases of ${limits.aliases}`;
  return introspection > limits.introspection ? 'Query asks for too much of the schema at once' : undefined;
}
