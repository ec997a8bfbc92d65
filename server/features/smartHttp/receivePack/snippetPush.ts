import { Unreadable } from '../../../core/errors.ts';
import { statusOf, textOf } from '../../../http/refusalStatus.ts';
import { isRefusal } from '../../../http/wireFailure.ts';
import type { GitCore } from '../../../repositories/repositories.ts';
import { commitsOf } from '../../../repositories/objects.ts';
import {
  headOfSingle,
  moveSingle,
  openForFetch,
  SINGLE_BRANCH,
} from '../../singleBranchRepositories/singleBranchRepositories.ts';
import type { Core } from '../../../core/core.ts';
import { type Snippet, storePushedFiles } from '../../snippets/snippets.ts';
import type { AdvertisedRef } from './advertisement.ts';
import { NO_OBJECT, type RefCommand } from './commands.ts';
import { createQuarantine } from './quarantine.ts';
import { drain, type Push, refuseAll } from './push.ts';
import type { PushReport } from './report.ts';

/** Full name of the only branch of a snippet. */
const REF = `refs/heads/${SINGLE_BRANCH}`;

/** Returns the refs of a snippet. */
export function refsOfSnippet(core: Core, { repository_id: id }: Snippet): AdvertisedRef[] {
  const head = headOfSingle(core, id);
  return head === undefined ? [] : [{ name: REF, target: head }];
}

/** Receives a push to a snippet: a new commit of its only branch. */
export async function pushToSnippet(core: GitCore, snippet: Snippet, push: Push): Promise<PushReport> {
  const { reader, signal } = push;
  const { commands, isShallow } = push.input;
  const [command] = commands;
  const problem = command === undefined || commands.length > 1 ? undefined : problemOf(command);
  if (command === undefined || commands.length > 1 || problem !== undefined) {
    await drain(reader);
    return refuseAll(commands, problem ?? `only the branch ${SINGLE_BRANCH} of a snippet can be pushed`, undefined);
  }
  const { before, after } = command;
  const repository = await openForFetch(core, snippet.repository_id);
  const quarantine = await createQuarantine(repository, core.packLimits, signal);
  try {
    const unpackProblem = await quarantine.unpack(reader);
    if (unpackProblem !== undefined) return refuseAll(commands, 'unpacker error', unpackProblem);
    if (!(await quarantine.isConnected([after]))) {
      return refuseAll(commands, isShallow ? 'shallow update not allowed' : 'missing necessary objects', undefined);
    }
    if ((await commitsOf(quarantine.repository, [after])).get(after) !== after) {
      return refuseAll(commands, 'a branch must point to a commit', undefined);
    }
    await push.demandAccess();
    const isMoved = await moveSingle(
      core,
      snippet.repository_id,
      {
        before: before === NO_OBJECT ? undefined : before,
        after,
        objects: quarantine.repository,
        migrate: () => quarantine.migrate(),
      },
      (draft) => storePushedFiles(core, snippet.id, draft),
    );
    return isMoved
      ? { unpackProblem: undefined, refusals: new Map(), messages: [] }
      : refuseAll(commands, 'fetch first', undefined);
  } catch (error) {
    if (!isRefusal(error) || statusOf(error) >= 500 || error instanceof Unreadable) throw error;
    return refuseAll(commands, textOf(error) ?? error.reason, undefined);
  } finally {
    await quarantine.remove();
  }
}

function problemOf({ ref, after }: RefCommand): string | undefined {
  if (ref !== REF) return `only the branch ${SINGLE_BRANCH} of a snippet can be pushed`;
  return after === NO_OBJECT ? 'the branch of a snippet cannot be deleted' : undefined;
}
