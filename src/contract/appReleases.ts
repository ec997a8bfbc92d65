import { integerMember, isJsonObject, stringMember, timeMember } from './json.ts';

/** Release of a program that has reported events or sessions. */
export interface ReportingRelease {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly firstSeen: number;
}

/** Reads a release of error tracking. Returns undefined for a release without events and sessions, because it proves nothing. */
export function readReportingRelease(value: unknown): ReportingRelease | undefined {
  if (!isJsonObject(value)) return undefined;
  const [version, firstSeen] = [stringMember(value, 'version'), timeMember(value, 'first_seen')];
  if (version === undefined || firstSeen === null) return undefined;
  const sessions = isJsonObject(value.sessions) ? (integerMember(value.sessions, 'total') ?? 0) : 0;
  if (sessions === 0 && (integerMember(value, 'events') ?? 0) === 0) return undefined;
  return { version, firstSeen: Date.parse(firstSeen) };
}
