import { booleanMember, integerMember, isJsonObject, stringMember } from './json.ts';

/** Key with which SDKs report errors to a project. */
export interface ClientKey {
  readonly id: number;
  readonly active: boolean;
  readonly public_key: string;
  readonly tracker_dsn: string;
}

/** Reads a client key. The member with the DSN has a different name in each dialect. */
export function readClientKey(value: unknown): ClientKey | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'id');
  const dsn = stringMember(value, 'tracker_dsn') ?? stringMember(value, 'sentry_dsn');
  if (id === undefined || dsn === undefined) return undefined;
  return { id, active: booleanMember(value, 'active'), public_key: stringMember(value, 'public_key') ?? '', tracker_dsn: dsn };
}
