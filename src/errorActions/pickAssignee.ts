import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { readUserBasic, type UserBasic } from '../contract/identity.ts';
import { visible } from '../contract/visibleText.ts';
import type { ProjectAddress } from '../errorTracking/source.ts';
import { createSearchList } from '../ui/searchList.ts';
import { pickFromSearch } from '../ui/searchPick.ts';

/** Members per page. */
const PAGE = 20;

interface Candidate {
  /** Null for nobody. */
  readonly userId: number | null;
  readonly name: string;
  readonly username: string;
}

/** Lets the user select a member of the project, themselves or nobody. Resolves to undefined if canceled. */
export function pickAssignee(
  client: Client,
  project: ProjectAddress,
  me: number | undefined,
  current: UserBasic | undefined,
): Promise<Candidate | undefined> {
  const nobody: Candidate = { userId: null, name: l10n.t('Nobody'), username: '' };
  const candidateOf = ({ id, name, username }: UserBasic): Candidate => ({ userId: id, name, username });
  const read = (value: unknown): Candidate | undefined => {
    const member = readUserBasic(value);
    return member && candidateOf(member);
  };
  const self: readonly Candidate[] = me === undefined ? [] : [{ userId: me, name: l10n.t('Me'), username: '' }];
  const list = createSearchList<Candidate>({
    parts: [
      {
        heading: l10n.t('Members'),
        first: (search, signal) => {
          const query = search.replace(/^@/, '').trim();
          const filter = query === '' ? {} : { query };
          return client.list(apiPath`/projects/${project.id}/members/all`, read, { ...filter, per_page: PAGE }, signal);
        },
      },
    ],
    follow: (link, signal) => client.follow(link, read, signal),
    offered: [...self, nobody],
    keyOf: ({ userId }) => String(userId),
    textOf: ({ name, username }) => `${name} @${username}`,
    emptyText: l10n.t('No member found'),
    after: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
  });
  return pickFromSearch<Candidate>({
    title: l10n.t('Assign Error'),
    placeholder: l10n.t('Search the members of {0}', project.path),
    list,
    keyOf: ({ userId }) => String(userId),
    toItem: ({ userId, name, username }) => ({
      label: visible(name),
      description: username === '' ? '' : visible(`@${username}`),
      ...(userId === (current?.id ?? null) ? { detail: l10n.t('current') } : {}),
      iconPath: new vscode.ThemeIcon(userId === null ? 'circle-slash' : 'person'),
    }),
  });
}
