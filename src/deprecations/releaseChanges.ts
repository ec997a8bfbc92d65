import * as l10n from '@vscode/l10n';
import { additions, deprecationIds, deprecationOf, type DeprecationId } from '../contract/deprecations.ts';
import type { Release } from '../contract/releases.ts';

/** Returns the name of a deprecation. Like the texts of a server, it is English in every language. */
export function deprecationName(id: string): string {
  return id.replaceAll('-', ' ');
}

/** Returns texts about what a release removes, deprecates and adds; an empty array if it changes nothing that is known. */
export function releaseChanges(release: Release): readonly string[] {
  const removed = namesOf((id) => deprecationOf(id).removedIn === release);
  const announced = namesOf((id) => deprecationOf(id).announcedIn === release);
  const added = Object.values(additions).flatMap(({ item, addedIn }) => (addedIn === release ? [item] : []));
  return [
    ...(removed.length === 0 ? [] : [l10n.t('Removes {0}: {1}', removed.length, removed.join(', '))]),
    ...(announced.length === 0 ? [] : [l10n.t('Deprecates {0}: {1}', announced.length, announced.join(', '))]),
    ...(added.length === 0 ? [] : [l10n.t('Adds {0}: {1}', added.length, added.join(', '))]),
  ];
}

function namesOf(isMeant: (id: DeprecationId) => boolean): readonly string[] {
  return deprecationIds.filter(isMeant).map(deprecationName);
}
