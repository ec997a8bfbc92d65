import { isRefName } from '../../../repositories/names.ts';
import type { RepositoryDir } from '../../../repositories/objects.ts';
import { conflictingRef, type RefKind, refOf, type RefRow } from '../../git/git.ts';
import { pushRefusal } from '../../pushes/pushes.ts';
import type { Core } from '../../../core/core.ts';
import type { FoundProject } from '../../projectAccess/projectAccess.ts';
import { NO_OBJECT, type RefCommand } from './commands.ts';

/** A command for a branch, a tag or notes. */
export interface CheckedCommand {
  readonly command: RefCommand;
  readonly kind: RefKind;
  readonly name: string;
  readonly current: RefRow | undefined;
}

export interface Checked {
  readonly accepted: readonly CheckedCommand[];
  /** Reasons of single refs. */
  readonly refusals: Map<RefCommand, string>;
  /** Lines that explain the refusals. */
  readonly messages: string[];
}

/** Reason of git for all refs of a push that a rule of the project forbids. */
export const DECLINED = 'pre-receive hook declined';

/**
 * Checks commands against the current refs and the permissions of the caller. If one is not permitted, all are refused, as by a hook of
 * GitLab. `objects` is the repository with the new objects; updates are not checked for dropped commits without it.
 */
export async function checkCommands(
  core: Core,
  found: FoundProject,
  commands: readonly RefCommand[],
  objects: RepositoryDir | undefined,
): Promise<Checked> {
  const refusals = new Map<RefCommand, string>();
  const messages: string[] = [];
  const accepted: CheckedCommand[] = [];
  const seen = new Set<string>();
  for (const command of commands) {
    const ref = kindOf(command.ref);
    const problem = seen.has(command.ref)
      ? 'multiple updates for one ref'
      : ref === undefined
        ? nameProblem(command.ref)
        : undefined;
    seen.add(command.ref);
    if (problem !== undefined || ref === undefined) {
      refusals.set(command, problem ?? 'funny refname');
      continue;
    }
    const current = refOf(core.store, found.project.id, ref.kind, ref.name);
    const stale = staleReason(command, current);
    if (stale === undefined) accepted.push({ command, current, ...ref });
    else {
      refusals.set(command, stale);
      messages.push(`${command.ref} was changed in the meantime. Fetch it and try again.`);
    }
  }
  const allowed = withoutConflicts(core, found, accepted, refusals);
  const forbidden = new Set<string>();
  for (const checked of allowed) {
    const refusal = pushRefusal(core, found, {
      kind: checked.kind,
      name: checked.name,
      action: await actionOf(objects, checked),
      by: 'git',
    });
    if (refusal !== undefined) forbidden.add(`GitLab: ${refusal.text}\nGitLab: ${refusal.remedy}`);
  }
  if (forbidden.size === 0) return { accepted: allowed, refusals, messages };
  for (const command of commands) if (!refusals.has(command)) refusals.set(command, DECLINED);
  return { accepted: [], refusals, messages: [...messages, ...[...forbidden].flatMap((text) => text.split('\n'))] };
}

function kindOf(ref: string): { readonly kind: RefKind; readonly name: string } | undefined {
  const [, folder, name = ''] = /^refs\/(heads|tags|notes)\/(.+)$/s.exec(ref) ?? [];
  if (folder === undefined || !isRefName(name) || name.includes('\uFFFD')) return undefined;
  return { kind: folder === 'heads' ? 'branch' : folder === 'tags' ? 'tag' : 'note', name };
}

function nameProblem(ref: string): string {
  return /^refs\/(?:heads|tags|notes)\//.test(ref) ? 'funny refname' : 'only branches, tags and notes can be pushed';
}

/** Returns the reason if the ref is not what the client has seen. */
function staleReason({ before, after }: RefCommand, current: RefRow | undefined): string | undefined {
  if ((current?.target ?? NO_OBJECT) === before) return undefined;
  return after === NO_OBJECT ? 'stale info' : 'fetch first';
}

/** Returns the commands whose refs can exist beside all others, and refuses the others. */
function withoutConflicts(
  core: Core,
  { project }: FoundProject,
  checked: readonly CheckedCommand[],
  refusals: Map<RefCommand, string>,
): CheckedCommand[] {
  const created = new Set<string>();
  return checked.filter(({ command, kind, name, current }) => {
    if (command.after === NO_OBJECT || current !== undefined) return true;
    const parents = command.ref.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));
    const inPush =
      parents.find((parent) => created.has(parent)) ?? [...created].find((other) => other.startsWith(`${command.ref}/`));
    const conflicting = inPush ?? conflictingRef(core.store, project.id, kind, name);
    created.add(command.ref);
    if (conflicting !== undefined) refusals.set(command, `conflicts with ${conflicting}`);
    return conflicting === undefined;
  });
}

async function actionOf(
  objects: RepositoryDir | undefined,
  { command, kind, current }: CheckedCommand,
): Promise<'create' | 'update' | 'delete' | 'force'> {
  if (current === undefined) return 'create';
  if (command.after === NO_OBJECT) return 'delete';
  if (objects === undefined || kind !== 'branch') return 'update';
  const { code } = await objects.git.run(
    objects.folder,
    ['merge-base', '--is-ancestor', current.commit_id, command.after],
    // Objects that are no commits are refused later.
    { codes: [1, 128] },
  );
  return code === 0 ? 'update' : 'force';
}
