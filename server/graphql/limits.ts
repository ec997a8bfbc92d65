import type { DocumentNode, FieldNode, FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode } from 'graphql';

/** What a query may be: sizes of the text before it is looked at, and of what it asks for before any of it is answered. */
export const limits = {
  /** UTF-16 units of the query; the real platform's figure. */
  longest: 10_000,
  tokens: 4_000,
  /** Selections of all operations and fragments, those of a fragment counted wherever it is used. */
  selections: 800,
  aliases: 50,
  /** Of fields within fields: without a person, and with one. */
  depth: { anonymous: 15, signedIn: 20 },
  /** The same for what fields cost, and for administrators. */
  complexity: { anonymous: 200, signedIn: 250, administrator: 300 },
  /** Of what describes the schema, which has a measure of its own. */
  introspection: 100_000,
  /** Documents that are kept ready. */
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
 * The selections of a document with the fragments in place. It needs no valid document, and so bounds what validation may have to compare
 * with each other.
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
    // A fragment in itself is refused by validation.
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

/** Lists of what describes the schema. */
const DESCRIBING_LISTS = ['types', 'fields', 'inputFields', 'interfaces', 'enumValues', 'possibleTypes', 'args', 'directives'];
/** Items of a page, where none are asked for or more. */
const PAGE = 100;

/**
 * What an operation of a valid document asks for: each field costs 1, and what a list of pages holds costs more the longer a page is,
 * as on the real platform. `isList` says which fields are lists of pages.
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

/** Why a query asks for too much; undefined when it does not. */
export function excessOf(measured: Measured, allowed: Allowance): string | undefined {
  const { depth, complexity, introspection, aliases } = measured;
  if (depth > allowed.depth) return `Query has depth of ${depth}, which exceeds max depth of ${allowed.depth}`;
  if (complexity > allowed.complexity) {
    return `Query has complexity of ${complexity}, which exceeds max complexity of ${allowed.complexity}`;
  }
  if (aliases > limits.aliases) return `Query has ${aliases} aliases, which exceeds max aliases of ${limits.aliases}`;
  return introspection > limits.introspection ? 'Query asks for too much of the schema at once' : undefined;
}
