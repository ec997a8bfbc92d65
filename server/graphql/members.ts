import {
  buildASTSchema,
  type DirectiveNode,
  type DocumentNode,
  getNamedType,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { limits } from './limits.ts';

// Members of the schema that not every release has. `@deprecation(id: "…")` and `@since(release: "…")` mark them in the SDL.

export interface MemberRules {
  /** Returns the state of a deprecated member, and the reason that clients see. */
  readonly deprecation: (id: string) => { readonly state: 'current' | 'deprecated' | 'removed'; readonly reason: string };
  /** Returns true if the emulated release is this one or a later one. */
  readonly isSince: (release: string) => boolean;
}

/** Returns the SDL that clients see: without the members that the release lacks, and with `@deprecated` in place of the marks. */
export function membersOf(written: DocumentNode, { deprecation, isSince }: MemberRules): DocumentNode {
  return visit(written, {
    enter: (node) => {
      if (node.kind === Kind.DIRECTIVE_DEFINITION && marks.includes(node.name.value)) return null;
      if (!('directives' in node) || node.directives === undefined) return undefined;
      const since = argumentOf(node.directives, 'since', 'release');
      if (since !== undefined && !isSince(since)) return null;
      const id = argumentOf(node.directives, 'deprecation', 'id');
      const found = id === undefined ? undefined : deprecation(id);
      if (found?.state === 'removed') return null;
      const unmarked = node.directives.filter(({ name }) => !marks.includes(name.value));
      const stated = found?.state === 'deprecated' ? [deprecated(found.reason)] : [];
      return unmarked.length === node.directives.length ? undefined : { ...node, directives: [...unmarked, ...stated] };
    },
  });
}

const marks = ['deprecation', 'since'];

function argumentOf(directives: readonly DirectiveNode[], directive: string, name: string): string | undefined {
  const found = directives.find((one) => one.name.value === directive);
  const value = found?.arguments?.find((one) => one.name.value === name)?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

function deprecated(reason: string): DirectiveNode {
  return {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: 'deprecated' },
    arguments: [{ kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'reason' }, value: { kind: Kind.STRING, value: reason } }],
  };
}

/** Returns a function that finds the deprecated members of all releases that the query of a request names. */
export function deprecationFinder(written: DocumentNode): (body: string) => readonly string[] {
  const schema = buildASTSchema(written);
  const idOf = (node: { readonly directives?: readonly DirectiveNode[] | undefined } | null | undefined): string | undefined =>
    argumentOf(node?.directives ?? [], 'deprecation', 'id');

  return (body) => {
    const document = documentIn(body);
    if (document === undefined) return [];
    const ids = new Set<string | undefined>();
    const types = new TypeInfo(schema);
    visit(
      document,
      visitWithTypeInfo(types, {
        Field: () => void ids.add(idOf(types.getFieldDef()?.astNode)),
        Argument: () => void ids.add(idOf(types.getArgument()?.astNode)),
        EnumValue: () => void ids.add(idOf(types.getEnumValue()?.astNode)),
        ObjectField: ({ name }) => {
          const input = getNamedType(types.getParentInputType());
          if (input !== undefined && 'getFields' in input) ids.add(idOf(input.getFields()[name.value]?.astNode));
        },
      }),
    );
    ids.delete(undefined);
    return [...ids].filter((id) => id !== undefined);
  };
}

/** Returns the document of a request; undefined if it cannot be read, which the response says. */
function documentIn(body: string): DocumentNode | undefined {
  try {
    const sent: unknown = JSON.parse(body);
    const query = typeof sent === 'object' && sent !== null && 'query' in sent ? sent.query : undefined;
    if (typeof query !== 'string' || query.length > limits.longest) return undefined;
    return parse(query, { maxTokens: limits.tokens });
  } catch {
    return undefined;
  }
}
