import { commentableCommit } from '../../../server/features/commitComments/commentable.ts';
import { findCommit } from '../../../server/features/git/refs.ts';
import { comment, type Commentable } from '../../../server/features/notes/notes.ts';
import type { Examples } from './example.ts';
import { type Fixture, inProject } from './fixture.ts';
import { notesExamples } from './notes.ts';
import { codeProject, codeRequest } from './repositories.ts';

const KIND = '/api/v4/projects/:id/repository/commits/:sha';

async function commentable(fixture: Fixture): Promise<Commentable> {
  const found = await codeProject(fixture);
  const { platform } = fixture.server;
  const commit = await findCommit(platform, found.project, 'topic');
  if (commit === undefined) throw new Error('the branch has no commit');
  return commentableCommit(platform, found, commit, true);
}

export const commitCommentExamples: Examples = {
  [`GET ${KIND}/comments`]: async (fixture) => {
    comment(fixture.server.platform, await commentable(fixture), fixture.root, { body: 'Which lamp?' });
    return codeRequest(fixture, { sha: 'topic' });
  },
  [`POST ${KIND}/comments`]: (fixture) =>
    codeRequest(fixture, { sha: 'topic' }, { note: 'Which one?', path: 'lamps/green.txt', line: 1, line_type: 'new' }),
  ...Object.fromEntries(
    Object.entries(
      notesExamples(KIND, async (fixture) => ({
        path: { ...inProject(await codeProject(fixture)), sha: 'topic' },
        commentable: await commentable(fixture),
      })),
    ).filter(([name]) => name.includes('/discussions')),
  ),
};
