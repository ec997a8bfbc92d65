import * as l10n from '@vscode/l10n';
import type { Client } from '../api/client.ts';
import { readUserBasic, type UserBasic } from '../contract/identity.ts';
import { createSearchList, type SearchList, type SearchListSettings } from '../ui/searchList.ts';

/** User in a list. */
export type Person = Pick<UserBasic, 'id' | 'username' | 'name'>;

/** Users per page. */
const PAGE = 20;

/**
 * Creates a list of users that is searched by name or username. Without a search text it has only the offered ones, because an instance can
 * have millions of users.
 */
export function createPersonList(
  client: Client,
  offered: readonly Person[],
  after: SearchListSettings<Person>['after'],
): SearchList<Person> {
  return createSearchList<Person>({
    parts: [
      {
        heading: l10n.t('Users'),
        first: async (search, signal) => {
          const text = search.replace(/^@/, '').trim();
          return text === '' ? { items: [] } : client.list('/users', readUserBasic, { search: text, per_page: PAGE }, signal);
        },
      },
    ],
    follow: (link, signal) => client.follow(link, readUserBasic, signal),
    offered,
    keyOf: ({ id }) => String(id),
    textOf: ({ name, username }) => `${name} @${username}`,
    emptyText: l10n.t('Type a name or username'),
    after,
  });
}
