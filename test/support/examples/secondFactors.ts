import { Secret, TOTP } from 'otpauth';
import type { User } from '../../../server/core/caller.ts';
import { disableSecondFactor, enableSecondFactor, enrolment } from '../../../server/features/secondFactors/secondFactor.ts';
import { hashSecret } from '../../../server/core/secrets.ts';
import { PageClient } from '../pages.ts';
import { browser, formExample } from './browser.ts';
import type { Example } from './example.ts';
import { type Fixture, person } from './fixture.ts';

/** Returns the form of a user without a password whose second factor is on; both of its buttons send the same fields. */
export async function secondFactorForm(fixture: Fixture): Promise<Example> {
  await switchSecondFactorOn(fixture, fixture.root);
  return formExample(await browser(fixture), '/user_settings/two_factor_auth', '/user_settings/two_factor_auth/codes');
}

export async function switchSecondFactorOn(fixture: Fixture, user: User): Promise<() => string> {
  const { platform } = fixture.server;
  disableSecondFactor(platform, user);
  const { code } = await secondFactorOf(fixture, user);
  await enableSecondFactor(platform, user, code());
  return code;
}

/** Starts setting up a second factor and returns the codes that an app shows for it. */
export async function secondFactorOf({ server: { platform } }: Fixture, user: User): Promise<{ code: () => string }> {
  const { secret } = await enrolment(platform, user, 'localhost');
  const app = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
  return { code: () => app.generate({ timestamp: platform.clock.now() }) };
}

/** Returns a browser at the code page of a sign-in. Sending the password first would cost a hash each time. */
export async function awaitingSecondFactor(fixture: Fixture): Promise<{ client: PageClient; code: () => string }> {
  const { server, fresh, passwordHash } = fixture;
  const user = person(server, fresh('signer'));
  // The sign-in page has no form while no user has a password.
  server.platform.store.run('UPDATE users SET password_hash = $passwordHash WHERE id = $id', { id: user.id, passwordHash });
  const code = await switchSecondFactorOn(fixture, user);
  const client = new PageClient(server);
  await client.open('/users/sign_in');
  server.platform.store.run('UPDATE web_sessions SET half_user_id = $id, half_until = expires_at WHERE session_hash = $hash', {
    id: user.id,
    hash: hashSecret(client.cookie() ?? ''),
  });
  return { client, code };
}
