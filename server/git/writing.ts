import type { Changed } from './actions.ts';
import type { RepositoryDir } from './objects.ts';

/** Who writes, and when: seconds since the epoch, in UTC. */
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

/** A ref that never comes to be: fast-import wants one, and it is taken back before its end. */
const DRAFT = 'refs/signalbox/draft';
const NOTHING = '0'.repeat(40);

/** Writes a commit with its trees and files; no ref points to it yet. Returns its id. */
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
  // What goes may be in the way of what comes.
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
  });
  return objectId(stdout.toString('latin1'));
}

export interface TagObject {
  readonly name: string;
  readonly commit: string;
  readonly tagger: Writer;
  readonly message: string;
}

/** Writes the object of a tag with a message. Returns its id. */
export async function writeTagObject(repository: RepositoryDir, tag: TagObject): Promise<string> {
  const { stdout } = await repository.git.run(repository.folder, ['hash-object', '-t', 'tag', '-w', '--stdin'], {
    input: tagText(tag),
  });
  return objectId(stdout.toString('latin1'));
}

/** The object of a tag with a message, as git keeps it. */
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

/** Writes a commit of a tree that is there. Returns its id. */
export async function writeMergeObject(repository: RepositoryDir, merge: MergeObject): Promise<string> {
  const message = merge.message.endsWith('\n') ? merge.message : `${merge.message}\n`;
  const { stdout } = await repository.git.run(repository.folder, ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    input: commitText({ ...merge, message: message.replaceAll('\0', '') }),
  });
  return objectId(stdout.toString('latin1'));
}

/** The object of a commit, as git keeps it. */
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

/** A path as fast-import reads it whatever it holds. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function objectId(output: string): string {
  const id = output.trim();
  if (!/^[0-9a-f]{40}$/.test(id)) throw new Error(`git returned ${JSON.stringify(id.slice(0, 100))} instead of an object id`);
  return id;
}
