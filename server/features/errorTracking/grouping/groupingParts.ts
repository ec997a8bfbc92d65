import { appFrames, type HashedFrame, type UsedStack } from './comparedStack.ts';

/** The parts of an event that are compared, and the text made of them that is hashed. */
export interface Steps {
  /** Empty if no fingerprint or only the default token was sent. */
  readonly fingerprint: readonly FingerprintToken[];
  /** Undefined if a fingerprint replaces it. */
  readonly content: Content | undefined;
}

export interface FingerprintToken {
  /** Token as sent. */
  readonly text: string;
  readonly pieces: readonly HashedPiece[];
}

export interface HashedPiece {
  /** `token` for a text, `default` for the default grouping, or the name of a variable. */
  readonly kind: string;
  readonly text: string;
}

export interface Content {
  readonly platform: string;
  readonly by: 'exception' | 'exception_group' | 'message' | 'stack' | 'nothing';
  /** Types of the whole exception chain. Synthetic types are empty. */
  readonly types: readonly string[];
  readonly stack: UsedStack | undefined;
  /** True if a stack does not count, because it only shows where the SDK noticed the error. */
  readonly hasSdkStack: boolean;
  readonly text: UsedText | undefined;
  readonly logger: string | undefined;
  /** Distinct members of an exception group, if there are several. */
  readonly members: readonly Content[];
}

export interface UsedText {
  /**
   * `template`: message with placeholders. `message`: message with variable parts replaced. `value`: value of an exception
   * without a stack.
   */
  readonly kind: 'template' | 'message' | 'value';
  readonly text: string;
}

export function hasDefault({ pieces }: FingerprintToken): boolean {
  return pieces.some(({ kind }) => kind === 'default');
}

/** Returns true for a token that is only the default grouping. */
export function isDefault({ pieces }: FingerprintToken): boolean {
  return pieces.length === 1 && pieces[0]?.kind === 'default';
}

type FramesOf = (stack: UsedStack) => readonly HashedFrame[];

/** Returns all data to hash as one text. Parts have a length prefix, so that different lists of parts give different texts. */
export function partsOf({ fingerprint, content }: Steps, framesOf: FramesOf): string {
  const parts = content === undefined ? '' : partsOfContent(content, framesOf);
  return fingerprint.length === 0 ? parts : `fingerprint${fingerprint.map((token) => partOfToken(token, parts)).join('')}`;
}

function partOfToken({ pieces }: FingerprintToken, parts: string): string {
  const texts = pieces.map(({ kind, text }) => part(kind, kind === 'default' ? parts : text)).join('');
  return pieces.length === 1 ? texts : part('tokens', texts);
}

function partsOfContent(content: Content, framesOf: FramesOf): string {
  const { platform, by, types, stack, text, logger, members } = content;
  let parts = part('platform', platform) + part('by', by);
  for (const type of types) parts += part('type', type);
  for (const { key, line } of stack === undefined ? [] : framesOf(stack)) {
    parts += part('frame', key) + (line === '' ? '' : part('line', line));
  }
  if (text !== undefined) parts += part('text', text.text);
  if (logger !== undefined) parts += part('logger', logger);
  for (const member of members) parts += part('member', partsOfContent(member, framesOf));
  return parts;
}

/** Maximum number of distinct members of an exception group that decide. */
const MAX_MEMBERS = 10;

/** Returns distinct contents in an order that does not depend on the one in which they were sent. */
export function distinctContents(contents: Iterable<Content>): Content[] {
  const distinct = new Map<string, Content>();
  for (const content of contents) {
    const parts = partsOfContent(content, appFrames);
    if (!distinct.has(parts)) distinct.set(parts, content);
  }
  return [...distinct]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, MAX_MEMBERS)
    .map(([, content]) => content);
}

function part(kind: string, text: string): string {
  return `;${kind}${text.length}:${text}`;
}
