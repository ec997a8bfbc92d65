import { integerMember, isJsonObject, stringMember } from './json.ts';

/** A person as other resources show them. */
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
