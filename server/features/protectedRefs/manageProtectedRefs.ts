import { conflict, forbidden, recordNotFound, type Refused, unprocessable } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import { isPushingKey } from '../deployKeys/deployKeys.ts';
import type { FoundProject, Project } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import {
  deleteGrant,
  deleteRule,
  type Grantee,
  grantsOf,
  type GrantRow,
  insertGrant,
  insertRule,
  isGroupAround,
  isMemberOfGroup,
  isMemberOfProject,
  type NamedGrantRow,
  type ProtectedAction,
  type ProtectedKind,
  ruleNamed,
  type RuleRow,
  rulesOf,
  writeGrant,
  writeRule,
} from './store.ts';

// Protected branches and tags. A rule protects all branches or tags that match its name. If several rules match, a user needs the
// permission of only one of them.

export type ProtectionRule = RuleRow;

/** Access levels of rules: nobody, developers, maintainers and administrators. */
export const grantLevels = { nobody: 0, developer: 30, maintainer: 40, administrator: 60 } as const;

const MAX_GRANTS = 500;
const MAX_RULES = 1000;
const MAX_NAME_LENGTH = 255;

/** Returns the rules that match a branch or tag. */
export function rulesFor(
  { store }: Core,
  project: Pick<Project, 'id'>,
  kind: ProtectedKind,
  name: string,
): readonly ProtectionRule[] {
  return rulesOf(store, project.id, kind).filter((rule) => matches(rule.name, name));
}

/** Returns true if the name of a rule, which can contain the wildcard `*`, matches a name. */
export function matches(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;
  // The parts between wildcards have to occur in this order. A regular expression could take exponential time.
  const parts = pattern.split('*');
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let position = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, position);
    if (found === -1 || found + part.length > end) return false;
    position = found + part.length;
  }
  return true;
}

/** Returns true if one of the rules permits an action to the user. */
export function isGranted(
  { store }: Core,
  found: FoundProject,
  rules: readonly ProtectionRule[],
  action: ProtectedAction,
): boolean {
  return rules.some((rule) => grantsOf(store, rule.id).some((grant) => grant.action === action && holdsGrant(grant)));

  function holdsGrant({ access_level: level, user_id: userId, group_id: groupId }: Grantee): boolean {
    if (level !== null) return levelHeld(found, level);
    if (userId !== null) return userId === found.userId;
    return groupId !== null && isMemberOfGroup(store, groupId, found.userId);
  }
}

function levelHeld({ access }: FoundProject, level: number): boolean {
  switch (level) {
    case grantLevels.developer:
      return holdsRole(access, 'developer');
    case grantLevels.maintainer:
      return holdsRole(access, 'maintainer');
    case grantLevels.administrator:
      return access.isAdministrator;
    default:
      return false;
  }
}

/** Returns true if one of the rules permits an action to all developers. */
export function isGrantedToDevelopers({ store }: Core, rules: readonly ProtectionRule[], action: ProtectedAction): boolean {
  return rules.some((rule) =>
    grantsOf(store, rule.id).some((grant) => grant.action === action && grant.access_level === grantLevels.developer),
  );
}

/** Protects the default branch of a project when it gets its first branch: maintainers push and merge. Existing rules are kept. */
export function protectFirstBranch({ store, clock }: Core, projectId: number, branch: string): void {
  if (rulesOf(store, projectId, 'branch').some(({ name }) => matches(name, branch))) return;
  const id = insertRule(store, { ...newRule, project_id: projectId, kind: 'branch', name: branch }, clock.now());
  for (const action of ['push', 'merge'] as const) insertGrant(store, id, { action, ...ofLevel(grantLevels.maintainer) });
}

const newRule = { allow_force_push: 0, code_owner_approval_required: 0 } as const;

function ofLevel(level: number): Grantee {
  return { access_level: level, user_id: null, group_id: null, deploy_key_id: null };
}

/** @throws {NotFound} if the project has no such rule. */
export function mustFindRule({ store }: Core, project: Project, kind: ProtectedKind, name: string): ProtectionRule {
  const rule = ruleNamed(store, project.id, kind, name);
  if (rule === undefined) throw recordNotFound(`the project has no protected ${kind} with this name`);
  return rule;
}

/** Grant that a request adds, changes or removes. */
export interface GrantInput {
  /** ID of the grant to change or remove. */
  readonly id?: number | undefined;
  readonly access_level?: number | undefined;
  readonly user_id?: number | undefined;
  readonly group_id?: number | undefined;
  readonly deploy_key_id?: number | undefined;
  readonly _destroy?: boolean | undefined;
}

export type GrantInputs = Readonly<Partial<Record<ProtectedAction, readonly GrantInput[]>>>;

export interface RuleInput {
  readonly allowForcePush?: boolean | undefined;
  readonly codeOwnerApprovalRequired?: boolean | undefined;
  readonly grants: GrantInputs;
}

/**
 * Protects branches or tags.
 *
 * @throws {Refused} if there is a rule with this name, and `Refused` for validation errors.
 */
export function createRule(core: Core, project: Project, kind: ProtectedKind, name: string, input: RuleInput): ProtectionRule {
  const { store, clock, changes } = core;
  return store.transaction(() => {
    if (ruleNamed(store, project.id, kind, name) !== undefined) {
      throw conflict(`Protected ${kind} '${name}' already exists`);
    }
    if (name.trim() === '') throw invalidRule(["Name can't be blank"]);
    if (name.length > MAX_NAME_LENGTH) throw invalidRule([`Name is too long (maximum is ${MAX_NAME_LENGTH} characters)`]);
    if (rulesOf(store, project.id, kind).length >= MAX_RULES) {
      throw invalidRule([`A project can have at most ${MAX_RULES} protected ${kind === 'branch' ? 'branches' : 'tags'}`]);
    }
    const id = insertRule(
      store,
      {
        project_id: project.id,
        kind,
        name,
        allow_force_push: input.allowForcePush === true ? 1 : 0,
        code_owner_approval_required: input.codeOwnerApprovalRequired === true ? 1 : 0,
      },
      clock.now(),
    );
    applyGrants(core, project, id, input.grants);
    const rule = mustFindRule(core, project, kind, name);
    changes.publish({ kind: 'protectionCreated', ...changeOf(rule), description: descriptionOf(core, rule) });
    return rule;
  });
}

/**
 * Changes a rule. Omitted values do not change.
 *
 * @throws {Refused} for validation errors.
 */
export function updateRule(core: Core, project: Project, rule: ProtectionRule, input: RuleInput): ProtectionRule {
  const { store, changes } = core;
  return store.transaction(() => {
    const before = descriptionOf(core, rule);
    writeRule(store, rule.id, {
      allow_force_push: flag(input.allowForcePush, rule.allow_force_push),
      code_owner_approval_required: flag(input.codeOwnerApprovalRequired, rule.code_owner_approval_required),
    });
    applyGrants(core, project, rule.id, input.grants);
    const after = mustFindRule(core, project, rule.kind, rule.name);
    const description = descriptionOf(core, after);
    if (description !== before) changes.publish({ kind: 'protectionChanged', ...changeOf(after), from: before, to: description });
    return after;
  });
}

/**
 * Protects one branch, or sets what developers can do with it if it is protected. Omitted values do not change; by default, only
 * maintainers push and merge.
 */
export function protectBranch(
  core: Core,
  project: Project,
  name: string,
  input: { readonly developersCanPush: boolean | undefined; readonly developersCanMerge: boolean | undefined },
): void {
  const { store } = core;
  const rule = ruleNamed(store, project.id, 'branch', name);
  const inputs = { push: input.developersCanPush, merge: input.developersCanMerge };
  const levelOf = (canDo: boolean | undefined): GrantInput => ({
    access_level: canDo === true ? grantLevels.developer : grantLevels.maintainer,
  });
  if (rule === undefined) {
    createRule(core, project, 'branch', name, {
      grants: { push: [levelOf(inputs.push)], merge: [levelOf(inputs.merge)] },
    });
    return;
  }
  const replacing = (action: 'push' | 'merge'): readonly GrantInput[] => {
    if (inputs[action] === undefined) return [];
    const levels = grantsOf(store, rule.id).filter((grant) => grant.action === action && grant.access_level !== null);
    return [...levels.map(({ id }) => ({ id, _destroy: true })), levelOf(inputs[action])];
  };
  updateRule(core, project, rule, { grants: { push: replacing('push'), merge: replacing('merge') } });
}

/** Removes the rule with the name of a branch, if there is one. */
export function unprotectBranch(core: Core, found: FoundProject, name: string): void {
  const rule = ruleNamed(core.store, found.project.id, 'branch', name);
  if (rule !== undefined) removeRule(core, found, rule);
}

function flag(input: boolean | undefined, current: 0 | 1): 0 | 1 {
  return input === undefined ? current : input ? 1 : 0;
}

/**
 * Removes the protection.
 *
 * @throws {Forbidden} if the rule does not permit it to the user.
 */
export function removeRule(core: Core, found: FoundProject, rule: ProtectionRule): void {
  const isLimited = grantsOf(core.store, rule.id).some(({ action }) => action === 'unprotect');
  if (isLimited && !isGranted(core, found, [rule], 'unprotect')) {
    throw forbidden(undefined, `the protected ${rule.kind} names who can unprotect it`, 'protectedRef.unprotect');
  }
  core.store.transaction(() => {
    deleteRule(core.store, rule.id);
    core.changes.publish({ kind: 'protectionRemoved', ...changeOf(rule) });
  });
}

function changeOf({ id, project_id: projectId, kind: refKind, name }: ProtectionRule) {
  return { protectionId: id, projectId, refKind, name } as const;
}

function applyGrants(core: Core, project: Project, ruleId: number, inputs: GrantInputs): void {
  const { store } = core;
  for (const action of ['push', 'merge', 'unprotect', 'create'] as const) {
    for (const input of inputs[action] ?? []) {
      const current = grantsOf(store, ruleId).filter((grant) => grant.action === action);
      const known = input.id === undefined ? undefined : current.find(({ id }) => id === input.id);
      if (input.id !== undefined && known === undefined) {
        throw recordNotFound('the protected branch has no access level with this ID');
      }
      if (known !== undefined && input._destroy === true) {
        deleteGrant(store, known.id);
        continue;
      }
      const grantee = granteeOf(input);
      const problem = grantProblem(
        core,
        project,
        action,
        grantee,
        current.filter(({ id }) => id !== known?.id),
      );
      if (problem !== undefined) throw invalidRule([`${labels[action]} ${problem}`]);
      if (known !== undefined) writeGrant(store, known.id, grantee);
      else if (current.length < MAX_GRANTS) insertGrant(store, ruleId, { action, ...grantee });
      else throw invalidRule([`${labels[action]} is too long (maximum is ${MAX_GRANTS})`]);
    }
  }
}

const labels = {
  push: 'Push access levels',
  merge: 'Merge access levels',
  unprotect: 'Unprotect access levels',
  create: 'Create access levels',
} as const;

function granteeOf(input: GrantInput): Grantee {
  const { access_level = null, user_id = null, group_id = null, deploy_key_id = null } = input;
  return { access_level, user_id, group_id, deploy_key_id };
}

function grantProblem(
  { store }: Core,
  project: Project,
  action: ProtectedAction,
  grantee: Grantee,
  others: readonly GrantRow[],
): string | undefined {
  const { access_level: level, user_id: userId, group_id: groupId, deploy_key_id: keyId } = grantee;
  const values = [level, userId, groupId, keyId];
  if (values.filter((value) => value !== null).length !== 1) {
    return 'must have exactly one of access_level, user_id, group_id and deploy_key_id';
  }
  if (level !== null && !levelsOf(action).includes(level)) return 'access level is not included in the list';
  if (userId !== null && !isMemberOfProject(store, project.id, userId)) return 'user is not a member of the project';
  if (groupId !== null && !isGroupAround(store, project.id, groupId)) return 'group does not have access to the project';
  if (keyId !== null && (action === 'merge' || action === 'unprotect')) return 'deploy key cannot be used here';
  if (keyId !== null && !isPushingKey(store, project.id, keyId)) return 'deploy key is not enabled for this project';
  const isSame = (other: Grantee): boolean =>
    other.access_level === level && other.user_id === userId && other.group_id === groupId && other.deploy_key_id === keyId;
  return others.some(isSame) ? 'access level has already been taken' : undefined;
}

/** Returns the access levels that rules can have for an action. */
export function levelsOf(action: ProtectedAction): readonly number[] {
  const { nobody, developer, maintainer, administrator } = grantLevels;
  if (action === 'create') return [nobody, developer, maintainer];
  return action === 'unprotect' ? [developer, maintainer, administrator] : [nobody, developer, maintainer, administrator];
}

/** 422 with a list of validation errors. */
function invalidRule(errors: readonly string[]): Refused {
  return unprocessable(errors, errors.join(', '), 'record.valid');
}

const levelNames = [
  [grantLevels.nobody, 'No one'],
  [grantLevels.developer, 'Developers + Maintainers'],
  [grantLevels.maintainer, 'Maintainers'],
  [grantLevels.administrator, 'Instance admins'],
] as const;

/** Returns the name of a grantee, as in responses. */
export function granteeName({ access_level: level, user_name: user, group_name: group }: NamedGrantRow): string {
  return levelNames.find(([known]) => known === level)?.[1] ?? user ?? group ?? 'Deploy key';
}

/** Describes a rule for audit events. */
function descriptionOf({ store }: Core, rule: ProtectionRule): string {
  const grants = grantsOf(store, rule.id);
  const names = (action: ProtectedAction): string =>
    JSON.stringify(grants.filter((grant) => grant.action === action).map(granteeName)).replaceAll('","', '", "');
  if (rule.kind === 'tag') return `allowed to create: ${names('create')}`;
  return [
    `allowed to push: ${names('push')}`,
    `allowed to merge: ${names('merge')}`,
    `allow force push: ${rule.allow_force_push === 1}`,
    `code owner approval required: ${rule.code_owner_approval_required === 1}`,
  ].join(', ');
}
