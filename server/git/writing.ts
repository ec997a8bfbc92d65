import type { Changed } from './actions.ts';
import type { Place } from './objects.ts';

/** Who writes, and when: seconds since the epoch, in UTC. */
interface Writer {
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
export async function writeCommitObject(place: Place, commit: NewCommit): Promise<string> {
  const { parent, ...rest } = commit;
  const [id = ''] = await writeCommits(place, [{ ...rest, from: parent }]);
  return id;
}

/** Commits of which each may stand on an earlier one of them, by its place in the list. */
export type NewHistory = readonly (Omit<NewCommit, 'parent'> & { readonly parent: number | undefined })[];

/** Writes commits that belong together in one run. Returns their ids in the same order. */
export function writeCommitObjects(place: Place, history: NewHistory): Promise<string[]> {
  return writeCommits(
    place,
    history.map(({ parent, ...commit }) => ({ ...commit, from: parent === undefined ? undefined : `:${parent + 1}` })),
  );
}

/** `from` is an object id or a mark: `:1` is the first of these commits. */
async function writeCommits(
  place: Place,
  commits: readonly (Omit<NewCommit, 'parent'> & { readonly from: string | undefined })[],
): Promise<string[]> {
  const parts: Buffer[] = [];
  const line = (text: string): void => void parts.push(Buffer.from(`${text}\n`));
  const data = (bytes: Buffer): void => {
    line(`data ${bytes.length}`);
    parts.push(bytes, Buffer.from('\n'));
  };
  for (const [index, commit] of commits.entries()) {
    // Without a parent it would stand on what was written before it.
    if (index > 0 && commit.from === undefined) line(`reset ${DRAFT}\n`);
    line(`commit ${DRAFT}`);
    line(`mark :${index + 1}`);
    line(`author ${writerText(commit.author)}`);
    line(`committer ${writerText(commit.committer)}`);
    data(Buffer.from(commit.message));
    if (commit.from !== undefined) line(`from ${commit.from}`);
    // What goes may be in the way of what comes.
    for (const [path, state] of commit.changed) if (state === undefined) line(`D ${quoted(path)}`);
    for (const [path, state] of commit.changed) {
      if (state === undefined) continue;
      const { mode, content } = state;
      line(`M ${mode} ${'id' in content ? content.id : 'inline'} ${quoted(path)}`);
      if ('bytes' in content) data(content.bytes);
    }
    line('');
    line(`get-mark :${index + 1}`);
  }
  line(`reset ${DRAFT}`);
  line(`from ${NOTHING}`);
  line('');
  line('done');
  const { stdout } = await place.git.run(place.folder, ['fast-import', '--quiet', '--done', '--date-format=raw'], {
    input: Buffer.concat(parts),
  });
  const ids = stdout.toString('latin1').trim().split('\n').map(objectId);
  if (ids.length !== commits.length) throw new Error(`git wrote ${ids.length} commits instead of ${commits.length}`);
  return ids;
}

/** Writes the object of a tag with a message. Returns its id. */
export async function writeTagObject(
  place: Place,
  tag: { readonly name: string; readonly commit: string; readonly tagger: Writer; readonly message: string },
): Promise<string> {
  const head = `object ${tag.commit}\ntype commit\ntag ${tag.name}\ntagger ${writerText(tag.tagger)}\n`;
  const message = tag.message.endsWith('\n') ? tag.message : `${tag.message}\n`;
  const { stdout } = await place.git.run(place.folder, ['hash-object', '-t', 'tag', '-w', '--stdin'], {
    input: `${head}\n${message}`,
  });
  return objectId(stdout.toString('latin1'));
}

export interface MergeObject {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Writer;
  readonly committer: Writer;
  readonly message: string;
}

/** Writes a commit of a tree that is there. Returns its id. */
export async function writeMergeObject(
  place: Place,
  { tree, parents, author, committer, message }: MergeObject,
): Promise<string> {
  const head = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${writerText(author)}`,
    `committer ${writerText(committer)}`,
  ];
  const text = message.endsWith('\n') ? message : `${message}\n`;
  const { stdout } = await place.git.run(place.folder, ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    input: `${head.join('\n')}\n\n${text.replaceAll('\0', '')}`,
  });
  return objectId(stdout.toString('latin1'));
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
  if (!/^[0-9a-f]{40}$/.test(id)) throw new Error(`git answered ${JSON.stringify(id.slice(0, 100))} instead of an object id`);
  return id;
}
