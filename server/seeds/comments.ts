import type { User } from '../core/caller.ts';
import { comment, type Note, type Commentable } from '../features/notes/notes.ts';
import type { Core } from '../core/core.ts';
import type { GitCore } from '../repositories/repositories.ts';
import type { Path } from './document.ts';
import type { SeedNote } from './format.ts';
import { type Person, type Plan, stepsOf } from './plan.ts';
import { type Step, StepRefused } from './timeline.ts';

/** An issue or merge request with comments. */
export interface Commented {
  readonly path: Path;
  /** Full path of the project. */
  readonly fullPath: string;
  readonly step: Step;
  readonly author: Person;
  /** Returns it as seen by a user while the steps run. Throws StepRefused if the user cannot see it. */
  seenBy(core: GitCore, at: Path, one: Person): { readonly user: User; readonly commentable: Commentable };
}

/** Plans comments and their replies. */
export function planNotes(plan: Plan, on: Commented, notes: readonly SeedNote[]): void {
  const add = (
    at: Path,
    note: Pick<SeedNote, 'body' | 'author' | 'created_at'>,
    after: Step,
    write: (core: Core, commentable: Commentable, user: User) => Note | undefined,
  ): Step | undefined => {
    const by = note.author === undefined ? on.author : plan.person([...at, 'author'], note.author);
    if (note.body.trim() === '') plan.addProblem([...at, 'body'], 'is empty');
    if (by === undefined) return undefined;
    return plan.add({
      path: at,
      at: plan.time([...at, 'created_at'], note.created_at),
      needs: [...stepsOf(by), after],
      follows: plan.membershipsOf(on.fullPath, by.username),
      run: (core) => {
        const { user, commentable } = on.seenBy(core, at, by);
        if (write(core, commentable, user) === undefined)
          throw new StepRefused([...at, 'body'], 'contains only quick actions, which leave no comment');
      },
    });
  };
  for (const [index, note] of notes.entries()) {
    const at: Path = [...on.path, 'notes', index];
    const replies = note.replies ?? [];
    let first: Note | undefined;
    const step = add(at, note, on.step, (core, commentable, user) => {
      const made = comment(core, commentable, user, { body: note.body, internal: note.internal ?? false });
      first = 'note' in made ? made.note : undefined;
      return first;
    });
    if (step === undefined) continue;
    for (const [replyIndex, reply] of replies.entries())
      add([...at, 'replies', replyIndex], reply, step, (core, commentable, user) => {
        if (first === undefined) return undefined;
        const made = comment(core, commentable, user, { body: reply.body }, { kind: 'reply', to: [first] });
        if (!('note' in made)) return undefined;
        first = { ...first, type: 'DiscussionNote' };
        return made.note;
      });
  }
}
