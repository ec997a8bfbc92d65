import { html } from 'hono/html';
import type { Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { checkBox, formTokenField, type Markup, notice, type PageContent, textField } from '../../web/layout.ts';
import { personPageRoute, type Redirection, type SignedInPageRequest } from '../../web/route.ts';
import {
  checkCurrentPassword,
  currentPasswordField,
  endSessionsOf,
  type ValidationErrors,
  validationStatus,
} from '../signIn/signIn.ts';
import { settingsContent } from '../../web/settings.ts';
import { enterpriseRefusal, passwordRefusingGroup, setPassword, updateUser } from '../users/users.ts';
import { MAX_USER_TEXT, passwordProblem, usernameProblem } from '../accountRules/accountRules.ts';
import { isLongerThan } from '../../support/textLength.ts';

const metadata = { specRef: 'Sign-in pages', status: 'local' } as const;

/** Returns the routes of the account settings pages: profile and password. */
export function accountPages(core: Core): Route[] {
  return [
    personPageRoute({ method: 'GET', path: '/user_settings/profile', ...metadata }, (request) => profileContent(request)),

    personPageRoute({ method: 'POST', path: '/user_settings/profile', ...metadata }, (request) => saveProfile(core, request)),

    personPageRoute({ method: 'GET', path: '/user_settings/password', ...metadata }, (request) => passwordContent(core, request)),

    personPageRoute({ method: 'POST', path: '/user_settings/password', ...metadata }, (request) => savePassword(core, request)),
  ];
}

async function savePassword(core: Core, request: SignedInPageRequest): Promise<PageContent | Redirection> {
  const { form, caller, context } = request;
  const password = form.get('password') ?? '';
  const refusing = passwordRefusingGroup(core, caller.user);
  if (refusing !== undefined) {
    context.noteRefusal('password.enterprise', enterpriseRefusal(refusing));
    return passwordContent(core, request);
  }
  const weak = passwordProblem(password);
  const fields = {
    ...(weak === undefined ? {} : { password: `The password ${weak}.` }),
    ...(password === form.get('password_confirmation') ? {} : { password_confirmation: 'The passwords do not match.' }),
  };
  if (Object.keys(fields).length > 0) {
    context.noteRefusal('password.valid', `invalid fields: ${Object.keys(fields).join(', ')}`);
    return passwordContent(core, request, { fields });
  }
  const refusal = await checkCurrentPassword(core, request);
  if (refusal !== undefined) return passwordContent(core, request, refusal);
  await setPassword(core, caller.user, password);
  // Other sessions were started with the old password and must not outlive it.
  endSessionsOf(core, caller.user.id);
  request.signIn(caller.user);
  return { redirectTo: '/user_settings/password?done=1' };
}

interface Profile {
  readonly username: string;
  readonly name: string;
  readonly bio: string;
  readonly isPrivate: boolean;
}

function saveProfile(core: Core, request: SignedInPageRequest): PageContent | Redirection {
  const { form, caller, context } = request;
  const username = (form.get('username') ?? caller.user.username).trim();
  const name = (form.get('name') ?? '').trim();
  const bio = (form.get('bio') ?? '').trim();
  const isPrivate = form.get('private_profile') === '1';
  const draft = { username, name, bio, isPrivate };
  const refuse = (fields: Readonly<Record<string, string>>): PageContent => {
    context.noteRefusal('profile.valid', `invalid fields: ${Object.keys(fields).join(', ')}`);
    return profileContent(request, draft, { fields });
  };
  const badUsername = usernameProblem(username);
  const fields = {
    ...(badUsername === undefined ? tooLong('username', username) : { username: `The username ${badUsername}` }),
    ...(name === '' ? { name: 'Enter a name.' } : tooLong('name', name)),
    ...tooLong('bio', bio),
  };
  if (Object.keys(fields).length > 0) return refuse(fields);
  const changed = updateUser(core, caller.user, { username, name, bio, private_profile: isPrivate ? 1 : 0 });
  if (typeof changed === 'string') return refuse({ username: 'This username is already taken.' });
  return { redirectTo: '/user_settings/profile?done=1' };
}

function tooLong(field: string, text: string): Readonly<Record<string, string>> {
  return isLongerThan(text, MAX_USER_TEXT) ? { [field]: `Enter at most ${MAX_USER_TEXT} characters.` } : {};
}

function profileContent(request: SignedInPageRequest, draft?: Profile, validationErrors?: ValidationErrors): PageContent {
  const { user } = request.caller;
  return formContent(
    request,
    '/user_settings/profile',
    { saved: 'Profile saved.', button: 'Save profile', validationErrors },
    html`<p>Other users see this on your profile page: <a href="/${user.username}">/${user.username}</a></p>`,
    html`${textField({
      name: 'username',
      label: 'Username',
      value: draft?.username ?? user.username,
      hint: 'A new username also changes the addresses of your projects. The former addresses redirect until somebody else uses them.',
      error: validationErrors?.fields['username'],
      autocomplete: 'username',
    })}
${textField({
  name: 'name',
  label: 'Name',
  value: draft?.name ?? user.name,
  error: validationErrors?.fields['name'],
  autocomplete: 'name',
})}
${textField({
  name: 'bio',
  label: 'Bio (optional)',
  value: draft?.bio ?? user.bio,
  error: validationErrors?.fields['bio'],
  autocomplete: 'off',
  optional: true,
})}
${checkBox({
  name: 'private_profile',
  label: 'Private profile: only you and administrators can see your projects and activity',
  checked: draft?.isPrivate ?? user.private_profile === 1,
})}`,
  );
}

function passwordContent(core: Core, request: SignedInPageRequest, validationErrors?: ValidationErrors): PageContent {
  const { user } = request.caller;
  const refusing = passwordRefusingGroup(core, user);
  if (refusing !== undefined) {
    const text = html`Password authentication is disabled for users of the group <strong>${refusing.name}</strong>. Use access tokens for the API and Git.`;
    const status = request.context.method === 'POST' ? { status: 403 } : {};
    return settingsContent('/user_settings/password', html`<div class="card">${notice('info', text)}</div>`, status);
  }
  return formContent(
    request,
    '/user_settings/password',
    { saved: 'Password saved. All other sessions were signed out.', button: 'Set password', validationErrors },
    html`<p>A new password signs you out of all other browsers. Access tokens and authorized applications keep working.</p>`,
    html`<input type="text" name="username" value="${user.username}" autocomplete="username" hidden>
${currentPasswordField(core, user, validationErrors)}
${textField({
  name: 'password',
  label: 'New password',
  type: 'password',
  hint: 'At least 8 characters.',
  error: validationErrors?.fields['password'],
  autocomplete: 'new-password',
})}
${textField({
  name: 'password_confirmation',
  label: 'Confirm new password',
  type: 'password',
  error: validationErrors?.fields['password_confirmation'],
  autocomplete: 'new-password',
})}`,
  );
}

function formContent(
  request: SignedInPageRequest,
  path: '/user_settings/profile' | '/user_settings/password',
  text: { readonly saved: string; readonly button: string; readonly validationErrors: ValidationErrors | undefined },
  above: Markup,
  fields: Markup,
): PageContent {
  const { validationErrors } = text;
  return settingsContent(
    path,
    html`<div class="card">
${validationErrors === undefined && request.query.get('done') === '1' ? notice('success', text.saved) : ''}
${above}
<form method="post" action="${path}">
${formTokenField(request.formToken())}
${fields}
<div class="actions"><button type="submit">${text.button}</button></div>
</form>
</div>`,
    validationStatus(validationErrors),
  );
}
