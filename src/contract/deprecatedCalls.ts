import { booleanMember, integerMember, isJsonObject, stringMember } from './json.ts';

/** Calls of a deprecated element by one client, as in a response of `GET /api/v4/deprecated_calls`. */
export interface DeprecatedCall {
  /** ID of the deprecation. */
  readonly deprecation: string;
  /** Route or GraphQL operation, such as `GET /api/v4/runners`. */
  readonly request: string;
  /** Null for anonymous callers. */
  readonly username: string | null;
  /** Empty if the client sends none. */
  readonly user_agent: string;
  /** Name of the OAuth application whose token was used; null for other credentials. */
  readonly application: string | null;
  readonly count: number;
  /** ISO 8601. */
  readonly first_at: string;
  readonly last_at: string;
  /** Null if the removal is no longer planned. */
  readonly removed_in: string | null;
  /** True if the element is missing in the release that was asked for. */
  readonly breaks: boolean;
  /** Sentence without a period. */
  readonly replacement: string;
  /** Page that explains the deprecation. */
  readonly web_url: string;
}

export function readDeprecatedCall(value: unknown): DeprecatedCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const [deprecation, request, count] = [
    stringMember(value, 'deprecation'),
    stringMember(value, 'request'),
    integerMember(value, 'count'),
  ];
  if (deprecation === undefined || request === undefined || count === undefined) return undefined;
  return {
    deprecation,
    request,
    count,
    username: stringMember(value, 'username') ?? null,
    user_agent: stringMember(value, 'user_agent') ?? '',
    application: stringMember(value, 'application') ?? null,
    first_at: stringMember(value, 'first_at') ?? '',
    last_at: stringMember(value, 'last_at') ?? '',
    removed_in: stringMember(value, 'removed_in') ?? null,
    breaks: booleanMember(value, 'breaks'),
    replacement: stringMember(value, 'replacement') ?? '',
    web_url: stringMember(value, 'web_url') ?? '',
  };
}
