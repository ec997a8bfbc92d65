import { Unreadable } from '../../../core/errors.ts';
import { statusOf, textOf } from '../../../http/refusalStatus.ts';
import { isRefusal } from '../../../http/wireFailure.ts';
import type { GitCore } from '../../../repositories/repositories.ts';
import { pipeline, type Transform } from 'node:stream';
import { IDLE_LIMIT } from '../../../http/disconnected.ts';
import type { HttpResponse, RequestContext } from '../../../http/requestContext.ts';
import type { User } from '../../../core/caller.ts';
import { addedCommits, moveRefs, type RefMove } from '../../pushes/pushes.ts';
import { ensureRepository, inTurn, openRepository, type RefRow } from '../../git/git.ts';
import { readCommits, type RepositoryDir } from '../../../repositories/objects.ts';
import { titleOf } from '../../../repositories/names.ts';
import type { Core } from '../../../core/core.ts';
import type { FoundProject, Project } from '../../projectAccess/projectAccess.ts';
import { refusalLines, secretsInPush } from '../../secretPushProtection/secretPushProtection.ts';
import type { GitTarget } from '../target.ts';
import { bodyFailure, bodyStages } from '../transfer.ts';
import { byteReader } from './byteReader.ts';
import { type Checked, checkCommands, DECLINED } from './checks.ts';
import { NO_OBJECT, readCommands } from './commands.ts';
import { afterPush } from './mergeRequestLinks.ts';
import { drain, type Push, refuseAll } from './push.ts';
import { createQuarantine, type Quarantine } from './quarantine.ts';
import { formatReport, type PushReport } from './report.ts';
import { pushToSnippet } from './snippetPush.ts';
import { describeTargets } from './targets.ts';

/** Maximum number of new branches in a push whose commits are counted. Larger pushes have bulk events, which have no numbers. */
const MAX_COUNTED_BRANCHES = 20;

interface Opened extends Pick<Push, 'demandAccess'> {
  readonly target: GitTarget;
  readonly user: User;
}

/** Receives a push: the commands, then a pack with the objects. */
export async function receivePack(
  core: GitCore,
  { target, user, demandAccess }: Opened,
  context: RequestContext,
): Promise<HttpResponse> {
  const signal = context.disconnected(IDLE_LIMIT);
  const reader = byteReader(contentOf(context, bodyStages(context, Number.MAX_SAFE_INTEGER)));
  const input = await readCommands(reader);
  if (input.commands.length === 0) return response(Buffer.alloc(0));
  const push = { input, reader, baseUrl: context.baseUrl, signal, demandAccess };
  const report =
    target.kind === 'project' ? await pushToProject(core, target, user, push) : await pushToSnippet(core, target.snippet, push);
  return response(formatReport(input.commands, input.capabilities, report));
}

function response(body: Buffer): HttpResponse {
  return { status: 200, type: 'application/x-git-receive-pack-result', body };
}

/**
 * Returns the body of a request without its compression. Packs can have any size.
 *
 * @throws {WireFailure} 400 while it is read, if it is not valid gzip data or if the client disconnects before its end.
 */
async function* contentOf(context: RequestContext, stages: readonly Transform[]): AsyncGenerator<Buffer> {
  // Errors are raised where the result is read.
  pipeline([context.bodyStream(), ...stages], () => undefined);
  try {
    yield* stages.at(-1) ?? context.bodyStream();
  } catch (error) {
    throw bodyFailure(error);
  }
}

async function pushToProject(core: GitCore, found: FoundProject, user: User, push: Push): Promise<PushReport> {
  const { input, reader, signal } = push;
  const { commands } = input;
  const hasPack = commands.some(({ after }) => after !== NO_OBJECT);
  // The objects of a push that is refused anyway are not stored.
  const early = await checkCommands(core, found, commands, undefined);
  if (early.accepted.length === 0) {
    await drain(reader);
    return { unpackProblem: undefined, ...early };
  }
  const repository = await inTurn(core, found, user, ({ project }) => ensureRepository(core, project));
  const quarantine = await createQuarantine(repository, core.packLimits, signal);
  try {
    const unpackProblem = hasPack ? await quarantine.unpack(reader) : undefined;
    if (!hasPack) await drain(reader);
    // The repository was moved to another storage while the objects were received.
    const current = await openRepository(core, found.project);
    if (current !== undefined && current.folder !== repository.folder) return refuseAll(commands, READ_ONLY, undefined);
    if (unpackProblem !== undefined) return refuseAll(commands, 'unpacker error', unpackProblem);
    const isConnected = await quarantine.isConnected(commands.map(({ after }) => after).filter((id) => id !== NO_OBJECT));
    if (!isConnected) {
      return refuseAll(commands, input.isShallow ? 'shallow update not allowed' : 'missing necessary objects', undefined);
    }
    return await inTurn(core, found, user, async (current) => {
      await push.demandAccess();
      const open = await ensureRepository(core, current.project);
      if (open.folder !== repository.folder) return refuseAll(commands, READ_ONLY, undefined);
      return updateRefs(core, current, user, { ...push, quarantine, repository: open });
    });
  } catch (error) {
    if (!isRefusal(error) || statusOf(error) >= 500 || error instanceof Unreadable) throw error;
    return refuseAll(commands, textOf(error) ?? error.reason, undefined);
  } finally {
    await quarantine.remove();
  }
}

const READ_ONLY = 'The repository is temporarily read-only. Please try again later.';

/** Checks the commands, and updates the refs. Call only inside `inTurn`. */
async function updateRefs(
  core: GitCore,
  found: FoundProject,
  user: User,
  push: Push & { readonly quarantine: Quarantine; readonly repository: RepositoryDir },
): Promise<PushReport> {
  const { input, quarantine, repository, baseUrl } = push;
  const { commands, capabilities, options } = input;
  const checked = await checkCommands(core, found, commands, quarantine.repository);
  const { refusals, messages } = checked;
  const targets = checked.accepted.flatMap(({ command }) => (command.after === NO_OBJECT ? [] : [command.after]));
  const secrets = await secretsInPush(core, found.project.id, quarantine.repository, { targets, options });
  if (secrets.length > 0) {
    for (const command of commands) if (!refusals.has(command)) refusals.set(command, DECLINED);
    return { unpackProblem: undefined, refusals, messages: [...messages, 'GitLab:', ...refusalLines(secrets)] };
  }
  const moves = await movesOf(core, quarantine.repository, found.project, checked);
  if (capabilities.has('atomic') && refusals.size > 0) {
    for (const command of commands) if (!refusals.has(command)) refusals.set(command, 'atomic push failed');
    return { unpackProblem: undefined, refusals, messages };
  }
  if (moves.length === 0) return { unpackProblem: undefined, refusals, messages };
  await quarantine.migrate();
  await moveRefs(core, repository, found.project, user, moves);
  const more = afterPush(core, found, user, { moves, options, baseUrl });
  return { unpackProblem: undefined, refusals, messages: [...messages, ...more] };
}

/** Returns the moves of the accepted commands. Refuses those whose objects are not commits. */
async function movesOf(
  core: Core,
  repository: RepositoryDir,
  project: Project,
  { accepted, refusals }: Checked,
): Promise<RefMove[]> {
  const written = accepted.filter(({ command }) => command.after !== NO_OBJECT);
  const rows = await describeTargets(
    repository,
    written.map(({ kind, name, command }) => ({ kind, name, target: command.after })),
  );
  const targets = new Map(written.map((checked, index) => [checked, rows[index]]));
  const isCounted =
    written.filter(({ kind, current }) => kind === 'branch' && current === undefined).length <= MAX_COUNTED_BRANCHES;
  const titles = await titlesOf(repository, rows);
  const moves: RefMove[] = [];
  for (const checked of accepted) {
    const after = targets.get(checked);
    const { kind, name, current, command } = checked;
    if (typeof after === 'string') refusals.set(command, after);
    else if (after?.target === current?.target) continue;
    else {
      const isUncounted = kind !== 'branch' || after === undefined || (current === undefined && !isCounted);
      const brought = isUncounted
        ? { commitCount: after === undefined ? 0 : 1, commitTitle: titles.get(after?.commit_id ?? '') ?? null }
        : await addedCommits(core, repository, project, after.commit_id, current);
      moves.push({ kind, name, before: current, after, ...brought });
    }
  }
  return moves;
}

/** Returns the titles of the commits that tags point to. */
async function titlesOf(repository: RepositoryDir, rows: readonly (RefRow | string)[]): Promise<ReadonlyMap<string, string>> {
  const ids = rows.flatMap((row) => (typeof row === 'object' && row.kind === 'tag' ? [row.commit_id] : []));
  return new Map((await readCommits(repository, ids)).map(({ id, message }) => [id, titleOf(message)]));
}
