import type { Changed } from './actions.ts';
import type { RepositoryDir } from './objects.ts';
import { WRITE_TIME } from './program.ts';

/** The author or committer, with the time in seconds since the epoch, in UTC. */
export interface Writer {
  readonly name: string;
  readonly email: string;
  readonly seconds: number;
}

export interface NewCommit {
  readonly parent: string | undefined;
  readonly message: string;
  readonly author: Writer;
  readonly committer: Writer;
  readonly changed: Changed;
}

/** Temporary ref that fast-import requires; it is reset before fast-import ends. */
const DRAFT = 'refs/signalbox/draft';
const NOTHING = '0'.repeat(40);

/** Writes a commit with its trees and files, without a ref. Returns its id. */
export async function writeCommitObject(repository: RepositoryDir, commit: NewCommit): Promise<string> {
  const parts: Buffer[] = [];
  const line = (text: string): void => void parts.push(Buffer.from(`${text}\n`));
  const data = (bytes: Buffer): void => {
    line(`data ${bytes.length}`);
    parts.push(bytes, Buffer.from('\n'));
  };
  line(`commit ${DRAFT}`);
  line('mark :1');
  line(`author ${writerText(commit.author)}`);
  line(`committer ${writerText(commit.committer)}`);
  data(Buffer.from(commit.message));
  if (commit.parent !== undefined) line(`from ${commit.parent}`);
  // Deletions come first, because a removed file can be in the way of a new directory.
  for (const [path, state] of commit.changed) if (state === undefined) line(`D ${quoted(path)}`);
  for (const [path, state] of commit.changed) {
    if (state === undefined) continue;
    const { mode, content } = state;
    line(`M ${mode} ${'id' in content ? content.id : 'inline'} ${quoted(path)}`);
    if ('bytes' in content) data(content.bytes);
  }
  line('');
  line('get-mark :1');
  line(`reset ${DRAFT}`);
  line(`from ${NOTHING}`);
  line('');
  line('done');
  const { stdout } = await repository.git.run(repository.folder, ['fast-import', '--quiet', '--done', '--date-format=raw'], {
    input: Buffer.concat(parts),
    timeLimit: WRITE_TIME,
  });
  return objectId(stdout.toString('latin1'));
}

export interface TagObject {
  readonly name: string;
  readonly commit: string;
  readonly tagger: Writer;
  readonly message: string;
}

/** Writes the object of an annotated tag. Returns its id. */
export async function writeTagObject(repository: RepositoryDir, tag: TagObject): Promise<string> {
  const { stdout } = await repository.git.run(repository.folder, ['hash-object', '-t', 'tag', '-w', '--stdin'], {
    input: tagText(tag),
  });
  return objectId(stdout.toString('latin1'));
}

/** Returns the content of an annotated tag object. */
export function tagText({ name, commit, tagger, message }: TagObject): string {
  const head = `object ${commit}\ntype commit\ntag ${name}\ntagger ${writerText(tagger)}\n`;
  return `${head}\n${message.endsWith('\n') ? message : `${message}\n`}`;
}

export interface MergeObject {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Writer;
  readonly committer: Writer;
  readonly message: string;
}

/** Writes a commit of an existing tree. Returns its id. */
export async function writeMergeObject(repository: RepositoryDir, merge: MergeObject): Promise<string> {
  const message = merge.message.endsWith('\n') ? merge.message : `${merge.message}\n`;
  const { stdout } = await repository.git.run(repository.folder, ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    input: commitText({ ...merge, message: message.replaceAll('\0', '') }),
  });
  return objectId(stdout.toString('latin1'));
}

/** Returns the content of a commit object. */
export function commitText({ tree, parents, author, committer, message }: MergeObject): string {
  const head = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${writerText(author)}`,
    `committer ${writerText(committer)}`,
  ];
  return `${head.join('\n')}\n\n${message}`;
}

function writerText({ name, email, seconds }: Writer): string {
  return `${name} <${email}> ${Math.max(seconds, 0)} +0000`;
}

/** Quotes a path for fast-import. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function objectId(output: string): string {
  const id = output.trim();
  if (!/^[0-9a-f]{40}$/.test(id)) throw new Error(`git returned ${JSON.stringify(id.slice(0, 100))} instead of an object id`);
  return id;
}
