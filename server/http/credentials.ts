import type { IncomingHttpHeaders } from 'node:http';
import type { SentCredential } from './authentication.ts';
import { WireFailure } from './wireFailure.ts';
import type { RawParameters } from './input.ts';

/**
 * Returns the credential of a REST request (docs/interface.md#request-credentials): `access_token`, else `Authorization: Bearer`, else
 * `bearer_token`; else `private_token` or `PRIVATE-TOKEN`, for personal tokens only.
 * @throws {WireFailure} 400 if both the Bearer header and `access_token` were sent.
 */
export function findCredential(headers: IncomingHttpHeaders, raw: RawParameters): SentCredential | undefined {
  const bearer = bearerOf(headers.authorization);
  const parameter = textOf(raw['access_token']);
  if (bearer !== undefined && parameter !== undefined) {
    throw new WireFailure(
      400,
      { error: 'invalid_request', error_description: 'Both Authorization header and payload includes access token.' },
      { rule: 'credentials.single', reason: 'send the token either in the header or as a parameter' },
    );
  }
  const token = parameter ?? bearer ?? textOf(raw['bearer_token']);
  if (token !== undefined) return { token, kind: 'any' };
  const personal = textOf(raw['private_token']) ?? textOf(headers['private-token']);
  return personal === undefined ? undefined : { token: personal, kind: 'personal' };
}

/** Returns the job token of a REST request, from the header `JOB-TOKEN` or the parameter `job_token`. */
export function findJobToken(headers: IncomingHttpHeaders, raw: RawParameters): string | undefined {
  return textOf(headers['job-token']) ?? textOf(raw['job_token']);
}

/**
 * Returns the user that an administrator wants to act as, from the parameter `sudo` or the header `Sudo`: an ID or a username
 * (docs/interface.md#request-credentials).
 */
export function findSudo(headers: IncomingHttpHeaders, raw: RawParameters): string | undefined {
  const { sudo } = raw;
  return textOf(typeof sudo === 'number' ? String(sudo) : sudo) ?? textOf(headers['sudo']);
}

/** Returns the token of an `Authorization: Bearer` header. The scheme is case-insensitive (RFC 9110 §11.1). */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
