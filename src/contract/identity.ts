import { integerMember, isJsonObject, stringMember } from './json.ts';

/** User as part of other resources. */
export interface UserBasic {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  /** `active`, `blocked`, … */
  readonly state: string;
  readonly avatar_url: string | null;
  readonly web_url: string;
  readonly [member: string]: unknown;
}

export function readUserBasic(value: unknown): UserBasic | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'id');
  const username = stringMember(value, 'username');
  if (id === undefined || username === undefined) return undefined;
  return {
    ...value,
    id,
    username,
    name: stringMember(value, 'name') ?? username,
    state: stringMember(value, 'state') ?? '',
    avatar_url: stringMember(value, 'avatar_url') ?? null,
    web_url: stringMember(value, 'web_url') ?? '',
  };
}

/** Personal access token. */
export interface PersonalToken {
  readonly id: number;
  readonly scopes: readonly string[];
  /** The secret. Present only in the response that created the token. */
  readonly token?: string;
  readonly [member: string]: unknown;
}

export function readPersonalToken(value: unknown): PersonalToken | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'id');
  if (id === undefined || !Array.isArray(value.scopes)) return undefined;
  const { token: _, ...members } = value;
  const token = stringMember(value, 'token');
  const scopes = value.scopes.filter((scope) => typeof scope === 'string');
  return { ...members, id, scopes, ...(token === undefined ? {} : { token }) };
}
