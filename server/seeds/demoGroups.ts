import type { AccessLevel, Visibility } from '../features/abilities/abilities.ts';
import type { DemoProject } from './demoPeople.ts';

export interface DemoGroup {
  readonly founder: string;
  readonly name: string;
  readonly path: string;
  /** Full path of the parent group. */
  readonly parent?: string;
  readonly description: string;
  readonly visibility: Visibility;
  /** Members in addition to the creator, in the order in which they were added. */
  readonly members: readonly (readonly [username: string, level: AccessLevel])[];
}

/** In the order of their IDs. A subgroup comes after its parent group. */
export const groups: readonly DemoGroup[] = [
  {
    founder: 'priya',
    name: 'Tidemark',
    path: 'tidemark',
    description: 'What concerns all of us',
    visibility: 'internal',
    members: [
      ['amara', 40],
      ['rafael', 40],
      ['mei', 30],
      ['tomasz', 30],
      ['leila', 20],
      ['root', 50],
    ],
  },
  {
    founder: 'rafael',
    name: 'Operations',
    path: 'operations',
    parent: 'tidemark',
    description: 'Who is called when it breaks',
    visibility: 'private',
    members: [['jonas', 30]],
  },
  {
    founder: 'leila',
    name: 'Open Harbour',
    path: 'open-harbour',
    description: 'Tide and harbour data that everybody may use',
    visibility: 'public',
    members: [
      ['tomasz', 30],
      ['mei', 30],
    ],
  },
];

/** Projects of the groups, in the order of their IDs. Their members are in addition to those of the group. */
export const groupProjects: readonly (DemoProject & { readonly group: string })[] = [
  {
    group: 'tidemark',
    owner: 'priya',
    name: 'Season Plan',
    description: 'What is done before the boats come back',
    visibility: 'internal',
    trade: 'docs',
    weight: 5,
    members: [],
    labels: ['question', 'spring', 'autumn'],
    things: ['the opening checklist', 'the price list', 'the winter storage page', 'the launch calendar', 'the staff rota'],
  },
  {
    group: 'tidemark/operations',
    owner: 'rafael',
    name: 'On Call',
    description: 'Who watches at night, and what they do',
    visibility: 'private',
    trade: 'ops',
    weight: 4,
    members: [],
    labels: ['incident', 'follow-up'],
    things: ['the pager rota', 'the runbook of the gates', 'the disk alarm', 'the night report', 'the restore drill'],
  },
  {
    group: 'open-harbour',
    owner: 'leila',
    name: 'Harbour Register',
    description: 'Every harbour with its depth, berths and opening hours',
    visibility: 'public',
    trade: 'data',
    weight: 5,
    members: [['jonas', 20]],
    labels: ['correction', 'new harbour'],
    things: ['the depth table', 'the list of harbours', 'the opening hours', 'the export', 'the map of approaches'],
  },
];
