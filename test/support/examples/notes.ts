import { comment, type Commentable } from '../../../server/features/notes/notes.ts';
import type { Example, Examples, Make } from './example.ts';
import { admin, type Fixture } from './fixture.ts';

/** Returns the examples for notes and discussions of one kind of noteable; each has its own thread. */
export function notesExamples(kind: string, find: (fixture: Fixture) => Found | Promise<Found>): Examples {
  const example =
    (params: Example['params'] = {}): Make =>
    async (fixture) => {
      const { server, root } = fixture;
      const { path, commentable } = await find(fixture);
      const made = comment(server.platform, commentable, root, { body: 'Which lamp?' }, { kind: 'thread' });
      if (!('note' in made)) throw new Error('the thread has no note');
      const { id, discussion_id } = made.note;
      return { token: admin, path: { ...path, note_id: String(id), discussion_id }, params };
    };
  const written = example({ body: 'The red one.' });
  const responses = `${kind}/discussions/:discussion_id/notes`;
  return {
    [`GET ${kind}/notes`]: example(),
    [`POST ${kind}/notes`]: written,
    [`GET ${kind}/notes/:note_id`]: example(),
    [`PUT ${kind}/notes/:note_id`]: written,
    [`DELETE ${kind}/notes/:note_id`]: example(),
    [`GET ${kind}/discussions`]: example(),
    [`POST ${kind}/discussions`]: written,
    [`GET ${kind}/discussions/:discussion_id`]: example(),
    [`GET ${responses}`]: example(),
    [`POST ${responses}`]: written,
    [`GET ${responses}/:note_id`]: example(),
    [`PUT ${responses}/:note_id`]: written,
    [`DELETE ${responses}/:note_id`]: example(),
  };
}

interface Found {
  readonly path: NonNullable<Example['path']>;
  readonly commentable: Commentable;
}
