import { createUser, findUserByName } from '../features/users/users.ts';
import { isEmail, isReservedName, isUsername, lengthErrors, passwordProblem } from '../features/accountRules/accountRules.ts';
import { isPersonalToken, issuePersonalToken, tokenErrors } from '../features/personalTokens/personalTokens.ts';
import { applicationErrors, createApplication, sentAccessToken } from '../features/oauth/oauth.ts';
import type { Core } from '../core/core.ts';
import { hashPassword, randomPassword } from '../core/secrets.ts';
import type { Path } from './document.ts';
import { type Plan, stepsOf, userOf } from './plan.ts';
import { StepRefused } from './timeline.ts';

/** Plans users. The returned function hashes the passwords that the file contains, which is slow. */
export function planUsers(plan: Plan): () => Promise<void> {
  const { seed, made } = plan;
  const inputs: { readonly username: string; readonly password: string }[] = [];
  const hashes = new Map<string, string>();
  for (const [index, user] of (seed.users ?? []).entries()) {
    const path: Path = ['users', index];
    const { username } = user;
    const email = user.email ?? `${username}@signalbox.example`;
    if (!isUsername(username) || isReservedName(username)) {
      plan.addProblem(
        [...path, 'username'],
        "may contain only letters, digits, '_', '-' and '.', must begin with a letter, digit or '_', and must not be reserved",
      );
    }
    const isDuplicate = (seed.users ?? []).findIndex((other) => other.username.toLowerCase() === username.toLowerCase()) < index;
    if (isDuplicate || findUserByName(plan.core, username) !== undefined || username.toLowerCase() === 'root')
      plan.addProblem([...path, 'username'], 'has already been taken');
    for (const [field, validationErrors] of Object.entries(lengthErrors({ username, name: user.name, bio: user.bio }))) {
      plan.addProblem([...path, field], validationErrors.join(', '));
    }
    if (!isEmail(email)) plan.addProblem([...path, 'email'], 'is not a valid email address');
    const weak = typeof user.password === 'string' ? passwordProblem(user.password) : undefined;
    if (weak !== undefined) plan.addProblem([...path, 'password'], weak);
    if (typeof user.password === 'string') inputs.push({ username, password: user.password });
    if (user.password === undefined) {
      const { password, hash } = randomPassword();
      made.passwords.push({ username, password });
      hashes.set(username, hash);
    }
    const step = plan.add({
      path,
      at: plan.time([...path, 'created_at'], user.created_at),
      needs: [],
      follows: [],
      run: (core) => {
        const created = createUser(core, {
          username,
          name: user.name ?? username,
          email,
          passwordHash: hashes.get(username) ?? null,
          admin: user.admin ?? false,
          external: user.external ?? false,
          privateProfile: user.private_profile ?? false,
          bio: user.bio ?? '',
        });
        if (created === 'username taken') throw new StepRefused([...path, 'username'], 'has already been taken');
        if (created === 'email taken') throw new StepRefused([...path, 'email'], 'has already been taken');
      },
    });
    plan.addPerson({ username, name: user.name ?? username, email, step });
  }
  return async () => {
    // Hashing is deliberately slow. Node runs several hashes in parallel.
    for (const [index, hash] of (await Promise.all(inputs.map(({ password }) => hashPassword(password)))).entries()) {
      hashes.set(inputs[index]?.username ?? '', hash);
    }
  };
}

export function planTokens(plan: Plan): void {
  const chosen = new Map<string, number>();
  for (const [index, token] of (plan.seed.personal_access_tokens ?? []).entries()) {
    const path: Path = ['personal_access_tokens', index];
    const person = plan.person([...path, 'user'], token.user);
    const expiresAt = plan.day([...path, 'expires_at'], token.expires_at ?? undefined) ?? null;
    const before = token.token === undefined ? undefined : chosen.get(token.token);
    if (before !== undefined) plan.addProblem([...path, 'token'], `is the same as in personal_access_tokens[${before}]`);
    if (token.token !== undefined) chosen.set(token.token, index);
    if (person === undefined) continue;
    plan.add({
      path,
      at: plan.time([...path, 'created_at'], token.created_at),
      needs: stepsOf(person),
      follows: [],
      run: (core) => {
        const input = { name: token.name, description: token.description, scopes: token.scopes, expiresAt, value: token.token };
        refuseFor(path, tokenErrors(core, input, core.clock.now()));
        if (token.token !== undefined && isTaken(core, token.token))
          throw new StepRefused([...path, 'token'], 'is already in use by another token');
        const issued = issuePersonalToken(core, userOf(core, path, person), input);
        if (token.token === undefined)
          plan.made.tokens.push({ username: person.username, name: token.name, token: issued.token });
      },
    });
  }
}

export function planApplications(plan: Plan): void {
  for (const [index, application] of (plan.seed.applications ?? []).entries()) {
    const path: Path = ['applications', index];
    const owner = application.owner === undefined ? undefined : plan.person([...path, 'owner'], application.owner);
    const { name, scopes, redirect_uris: redirectUris } = application;
    plan.add({
      path,
      at: plan.time([...path, 'created_at'], application.created_at),
      needs: stepsOf(owner),
      follows: [],
      run: (core) => {
        const { redirect_uri, ...others } = applicationErrors({ name, redirectUris, scopes });
        refuseFor(path, { ...others, ...(redirect_uri === undefined ? {} : { redirect_uris: redirect_uri }) });
        const created = createApplication(core, {
          name,
          scopes,
          redirectUris,
          confidential: application.confidential ?? true,
          trusted: application.trusted ?? false,
          ...(owner === undefined ? {} : { owner: userOf(core, path, owner) }),
        });
        plan.made.applications.push({ name, application_id: created.application.uid, secret: created.secret ?? null });
      },
    });
  }
}

/** Throws StepRefused for the first invalid field of the input. */
function refuseFor(path: Path, validationErrors: Readonly<Record<string, readonly string[]>>): void {
  const [first] = Object.entries(validationErrors);
  if (first !== undefined) throw new StepRefused([...path, first[0]], first[1].join(', '));
}

/** Returns true if a personal access token or OAuth token with this value exists. */
function isTaken(core: Core, value: string): boolean {
  return isPersonalToken(core, value) || sentAccessToken(core, { token: value, kind: 'any' }) !== undefined;
}
