import * as l10n from '@vscode/l10n';
import type { ClockState } from '../contract/control.ts';
import type { Profile } from '../contract/emulation.ts';
import { formatDuration, textOfTime } from '../local/clockTimes.ts';
import { dialectName } from '../local/emulationNames.ts';

/** Details of a server. Unknown ones are undefined. */
export interface KnownDetails {
  readonly address?: string | undefined;
  /** Platform that a local server emulates. */
  readonly profile?: Profile | undefined;
  /** Clock of a local server if it was moved or stopped. */
  readonly movedClock?: ClockState | undefined;
  /** Release that a remote instance reports. */
  readonly release?: string | undefined;
}

/** Returns one text for each detail that is known. Times are in UTC, as in the API. */
export function formatDetails({ address, profile, movedClock, release }: KnownDetails, locale: string): readonly string[] {
  return [
    address === undefined ? [] : l10n.t('Address: {0}', address),
    release === undefined ? [] : l10n.t('Release: {0}', release),
    profile === undefined
      ? []
      : [l10n.t('Emulated release: {0}', profile.release), l10n.t('Dialect: {0}', dialectName(profile.dialect))],
    movedClock === undefined ? [] : l10n.t('Clock: {0}', formatMovedClock(movedClock, locale)),
  ].flat();
}

/** Returns how a clock that was moved differs from that of the machine. */
export function formatMovedClock({ now, isFrozen, offset }: ClockState, locale: string): string {
  if (isFrozen) return l10n.t('stopped at {0}', `${textOfTime(now)} UTC`);
  const difference = formatDuration(offset, locale);
  return offset > 0 ? l10n.t('{0} ahead', difference) : l10n.t('{0} behind', difference);
}
