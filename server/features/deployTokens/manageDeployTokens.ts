import { nothingFound, refusedChange } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import { equalSecrets, hashSecret, randomSecret } from '../../core/secrets.ts';
import { isLongerThan } from '../../support/textLength.ts';
import {
  deleteTokenRow,
  type DeployTokenRow,
  insertToken,
  isBelowGroup,
  isInGroup,
  tokenByHash,
  tokenById,
  type TokenContainer,
  writeUsername,
} from './store.ts';

// Tokens of projects and groups that belong to no user. Git clients fetch with them.

export type DeployToken = DeployTokenRow;

/** Scopes of GitLab. `read_repository` allows to fetch, and the scopes of the registry together allow pulls through the dependency proxy. */
export const deployTokenScopes = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_package_registry',
  'write_package_registry',
  'read_virtual_registry',
  'write_virtual_registry',
] as const;

const PREFIX = 'gldt-';
const MAX_LENGTH = 255;

export interface NewDeployToken {
  readonly name: string;
  readonly username: string | undefined;
  readonly scopes: readonly string[];
  readonly expiresAt: number | undefined;
}

/**
 * Creates a token of a project or group. The secret is returned only here.
 *
 * @throws {Refused} for validation errors.
 */
export function createDeployToken(
  core: Core,
  container: TokenContainer,
  input: NewDeployToken,
): { readonly token: DeployToken; readonly secret: string } {
  const { store, clock, changes } = core;
  checkNew(input);
  const secret = `${PREFIX}${randomSecret()}`;
  return store.transaction(() => {
    const id = insertToken(
      store,
      {
        projectId: container.projectId,
        groupId: container.groupId,
        name: input.name,
        hash: hashSecret(secret),
        scopes: input.scopes.join(' '),
        expires_at: input.expiresAt ?? null,
      },
      clock.now(),
    );
    const { username } = input;
    writeUsername(store, id, username === undefined || username === '' ? `gitlab+deploy-token-${id}` : username);
    const token = mustFindToken(core, container, id);
    changes.publish({ kind: 'deployTokenCreated', ...changeOf(token) });
    return { token, secret };
  });
}

function checkNew({ name, username = '', scopes }: NewDeployToken): void {
  const problems = [
    ...(name.trim() === '' ? ["Name can't be blank"] : []),
    ...(isLongerThan(name, MAX_LENGTH) ? [`Name is too long (maximum is ${MAX_LENGTH} characters)`] : []),
    ...(isLongerThan(username, MAX_LENGTH) ? [`Username is too long (maximum is ${MAX_LENGTH} characters)`] : []),
    ...(/^[a-zA-Z0-9.+_-]*$/.test(username) ? [] : ["Username can contain only letters, digits, '_', '-', '+', and '.'"]),
    ...(scopes.length === 0 ? ["Scopes can't be blank"] : []),
  ];
  if (problems.length > 0) throw refusedChange(problems.join(' and '));
}

/** @throws {NotFound} if the project or group has no such token. */
export function mustFindToken({ store }: Core, container: TokenContainer, id: number): DeployToken {
  const token = tokenById(store, container, id);
  if (token === undefined) throw nothingFound('the project or group has no deploy token with this ID');
  return token;
}

export function deleteDeployToken({ store, changes }: Core, token: DeployToken): void {
  store.transaction(() => {
    deleteTokenRow(store, token.id);
    changes.publish({ kind: 'deployTokenRemoved', ...changeOf(token) });
  });
}

function changeOf({ id: tokenId, project_id: projectId, group_id: groupId, name, scopes }: DeployToken) {
  return { tokenId, projectId, groupId, name, scopes } as const;
}

export function isExpired({ expires_at: end }: DeployToken, now: number): boolean {
  return end !== null && end <= now;
}

/** Returns the valid token with this secret and username; undefined if there is none. */
export function deployTokenOf(
  { store, clock }: Core,
  { username, password }: { readonly username: string; readonly password: string },
): DeployToken | undefined {
  if (!password.startsWith(PREFIX)) return undefined;
  const token = tokenByHash(store, hashSecret(password));
  return token === undefined || !equalSecrets(token.username, username) || isExpired(token, clock.now()) ? undefined : token;
}

/** Returns true if a token belongs to a project or to a group that contains it. */
export function isTokenOf({ store }: Core, token: DeployToken, projectId: number): boolean {
  return token.group_id === null ? token.project_id === projectId : isInGroup(store, projectId, token.group_id);
}

/** Returns true if a token belongs to a group or to a group that contains it. */
export function isTokenOfGroup({ store }: Core, token: DeployToken, groupId: number): boolean {
  return token.group_id !== null && isBelowGroup(store, groupId, token.group_id);
}

/** Returns a token that has not expired by its ID; undefined if there is none. */
export function activeDeployToken({ store }: Core, id: number, now: number): DeployToken | undefined {
  const token = tokenById(store, { projectId: null, groupId: null }, id);
  return token === undefined || isExpired(token, now) ? undefined : token;
}
