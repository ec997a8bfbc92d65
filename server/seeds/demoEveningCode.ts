import type { GitCore } from '../repositories/repositories.ts';
import { MINUTE } from '../core/clock.ts';
import { type PlannedPush, type PreparedHistory, prepareHistory } from '../features/preparedRepositories/preparedRepositories.ts';
import { SINGLE_BRANCH } from '../features/singleBranchRepositories/singleBranchRepositories.ts';
import { authorOf } from './demoCode.ts';
import { type EveningTalk, snippets } from './demoEveningTexts.ts';
import type { DemoRepository } from './demoPushes.ts';

interface EveningPush {
  readonly username: string;
  readonly plan: PlannedPush;
}

/** Prepared repository of a group project. */
export interface EveningCode {
  readonly project: string;
  readonly pushes: readonly EveningPush[];
  readonly history: PreparedHistory;
}

interface EveningFork {
  readonly source: string;
  readonly username: string;
  /** Repository of the fork: that of the source and one more push. */
  readonly history: PreparedHistory;
  readonly request: { readonly title: string; readonly description: string; readonly talk: readonly EveningTalk[] };
}

export interface PreparedEvening {
  readonly code: readonly EveningCode[];
  readonly fork: EveningFork;
  /** Snippets, in the order of their texts. */
  readonly snippets: readonly { readonly history: PreparedHistory }[];
}

/** A merge request of a group project, opened when its branch is pushed. */
interface EveningMergeRequest {
  readonly project: string;
  readonly source: string;
  readonly title: string;
  readonly description: string;
  readonly reviewer: string;
  readonly isApproved: boolean;
  readonly talk: readonly EveningTalk[];
}

export const groupMergeRequests: readonly EveningMergeRequest[] = [
  {
    project: 'tidemark/season-plan',
    source: 'winter-storage',
    title: 'Make a checklist of the winter storage page',
    description:
      'Closes #3\n\nThe page was prose that nobody read to the end. Now it is a **checklist** that can be printed.\n\n| Before | After |\n| --- | --- |\n| 4 pages | 1 page |\n| one author | the whole office |',
    reviewer: 'priya',
    isApproved: true,
    talk: [
      ['priya', 'I printed it, and it fits. Can the *masts* stand in front of the covers?'],
      ['mei', 'They do now.'],
    ],
  },
  {
    project: 'tidemark/season-plan',
    source: 'opening-pictures',
    title: 'Say where the pictures of the opening checklist lie',
    description:
      'Related to #2. Closes #6, because the link that is gone was one to a picture.\n\n- [x] the quay\n- [ ] the crane',
    reviewer: 'amara',
    isApproved: false,
    talk: [['amara', 'The picture of the crane is in the folder of last year: `2025/crane.jpg`.']],
  },
  {
    project: 'tidemark/operations/on-call',
    source: 'quiet-disk-alarm',
    title: 'Call somebody only when the disk is really full',
    description: 'Closes #5\n\nThe alarm now waits for three readings:\n\n```yaml\nreadings: 3\nthreshold: 92%\n```',
    reviewer: 'rafael',
    isApproved: true,
    talk: [['rafael', '> three readings\n\nThat is fifteen minutes. Fine with me.']],
  },
  {
    project: 'open-harbour/harbour-register',
    source: 'watch-the-depth-table',
    title: 'Draft: Watch whether the depth table arrives',
    description: 'Closes #7 when it is done. See #3 for the units.',
    reviewer: 'leila',
    isApproved: false,
    talk: [],
  },
];

const checklist =
  '# Before the boats come back\n\n- [ ] Water and power on every dock\n- [ ] The gates open with the new cards\n- [ ] Prices are on the web site\n';
const storage =
  '# Winter storage\n\n- [ ] Masts are down\n- [ ] Covers are on\n- [ ] Batteries are out\n- [ ] The list of owners hangs in the hall\n';
const gates =
  '# When a gate does not open\n\n1. Ask whether the card is of this season.\n2. Restart the controller, *once*.\n3. Open by hand and call Jonas.\n';
const harbours = 'name,depth_m,berths\nAmeland,2.4,140\nMakkum,2.1,420\nTerschelling,2.6,300\nVlieland,2.3,260\n';

type Input = readonly [username: string, branch: string, message: string, files: Readonly<Record<string, string>>];

/** Pushes to a project. A string instead of a commit merges the branch of that name; a version is a tag. */
const inputs: readonly {
  readonly project: string;
  readonly pushes: readonly (Input | readonly ['merge' | 'tag', string, string])[];
}[] = [
  {
    project: 'tidemark/season-plan',
    pushes: [
      [
        'priya',
        'main',
        'Initial commit',
        {
          'README.md': `# Season Plan\n\nWhat is done before the boats come back.\n\nBegin with the [opening checklist](checklists/opening.md).\n`,
          'checklists/opening.md': checklist,
        },
      ],
      [
        'amara',
        'main',
        'Add the price list',
        { 'prices.csv': 'length_m,day,season\n8,14.50,890\n10,18.00,1120\n12,22.50,1390\n' },
      ],
      ['mei', 'winter-storage', 'Make a checklist of the winter storage page', { 'checklists/winter-storage.md': storage }],
      ['merge', 'priya', 'winter-storage'],
      [
        'root',
        'opening-pictures',
        'Say where the pictures lie',
        { 'checklists/pictures.md': '# Pictures\n\nThey are in the shared folder, one for each line.\n' },
      ],
    ],
  },
  {
    project: 'tidemark/operations/on-call',
    pushes: [
      [
        'rafael',
        'main',
        'Initial commit',
        { 'README.md': '# On Call\n\nWho watches at night, and what they do.\n', 'runbooks/gates.md': gates },
      ],
      [
        'jonas',
        'quiet-disk-alarm',
        'Wait for three readings',
        { 'alarms/disk.yaml': 'name: disk\nreadings: 3\nthreshold: 92%\n' },
      ],
    ],
  },
  {
    project: 'open-harbour/harbour-register',
    pushes: [
      [
        'leila',
        'main',
        'Initial commit',
        {
          'README.md': '# Harbour Register\n\nEvery harbour with its depth, berths and opening hours.\n',
          'harbours.csv': harbours,
        },
      ],
      ['tag', 'leila', 'v0.1.0'],
      [
        'tomasz',
        'watch-the-depth-table',
        'Count the hours since the last table',
        {
          'register/watch.py':
            '"""The depth table comes every six hours."""\n\nLIMIT_HOURS = 7\n\n\ndef is_late(hours):\n    return hours > LIMIT_HOURS\n',
        },
      ],
    ],
  },
];

export const FORK_BRANCH = 'lighthouse-tides';
const FORKED = 'Tide Data';
const forked = {
  source: 'leila/tide-data',
  username: 'priya',
  request: {
    title: 'Add the tides of the three lighthouses',
    description:
      'I may not push here, so this comes from a fork.\n\nThe keepers write down **every** high water since 1987; see the [file](tides/lighthouses.csv).',
    talk: [
      ['leila', 'Thank you! Is the time that of the harbour, or UTC?'],
      ['priya', 'UTC, as everywhere in this project.'],
    ],
  },
} as const;
const lighthouses =
  'lighthouse,time,height_m\nBrandaris,2025-10-01T05:12Z,1.94\nBornrif,2025-10-01T05:40Z,2.02\nVuurduin,2025-10-01T04:58Z,1.88\n';

/** Prepares the repositories of the evening. `evening` is its start in milliseconds since the epoch. */
export async function prepareEvening(
  core: GitCore,
  repositories: readonly DemoRepository[],
  evening: number,
): Promise<PreparedEvening | undefined> {
  const tides = repositories.find(({ project }) => project === FORKED);
  if (tides === undefined) return undefined;
  const prepared = async (plans: readonly PlannedPush[], branch = 'main'): Promise<PreparedHistory> => {
    const history = await prepareHistory(core, branch, plans);
    if ('impossible' in history) throw new Error(history.impossible[0]?.refusal);
    return history;
  };
  const commit = (username: string, branch: string, message: string, files: Readonly<Record<string, string>>, at: number) =>
    ({
      kind: 'commit',
      user: authorOf(username),
      at,
      branch,
      message,
      files: new Map(Object.entries(files).map(([path, text]) => [path, { content: Buffer.from(text), executable: false }])),
    }) as const;
  const [code, fork, stored] = await Promise.all([
    Promise.all(
      inputs.map(async ({ project, pushes: requested }) => {
        const pushes = requested.map((input, index): EveningPush => {
          const at = evening + index * MINUTE;
          if (input.length === 4) return { username: input[0], plan: commit(...input, at) };
          const [kind, username, name] = input;
          const by = { user: authorOf(username), at, branch: 'main' };
          if (kind === 'tag') return { username, plan: { ...by, kind, name } };
          return { username, plan: { ...by, kind, source: name, message: `Merge branch '${name}' into 'main'` } };
        });
        return { project, pushes, history: await prepared(pushes.map(({ plan }) => plan)) };
      }),
    ),
    prepared([
      ...tides.pushes.map(({ plan }) => plan),
      commit(forked.username, FORK_BRANCH, 'Add what the lighthouses measure', { 'tides/lighthouses.csv': lighthouses }, evening),
    ]),
    Promise.all(
      snippets.map(async ({ author, files }) => ({
        history: await prepared([commit(author, SINGLE_BRANCH, 'Initial commit', files, evening)], SINGLE_BRANCH),
      })),
    ),
  ]);
  return { code, fork: { ...forked, history: fork }, snippets: stored };
}
