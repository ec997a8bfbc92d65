import type { AccessLevel, Visibility } from '../features/abilities/abilities.ts';

/** Author and text of a comment. */
export type EveningTalk = readonly [username: string, body: string];

export const groupLabels: readonly { readonly title: string; readonly color: string; readonly description: string }[] = [
  { title: 'season', color: '#428bca', description: 'Has to be done before the boats come back' },
  { title: 'harbours', color: '#5cb85c', description: 'The harbours asked for it' },
  { title: 'waiting', color: '#f0ad4e', description: 'We wait for somebody else' },
];

export const springOpening = {
  title: 'Spring opening',
  description:
    'Everything that a skipper sees on the **first day**:\n\n1. berths and prices\n2. gates and power\n3. tides on the board',
  days: 120,
};

export interface DemoEpic {
  readonly author: string;
  readonly title: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly confidential?: boolean;
  /** First and last day, relative to today. */
  readonly days?: readonly [from: number, to: number];
  readonly isClosed?: boolean;
  readonly issues: readonly (readonly [project: string, iid: number])[];
  readonly talk: readonly EveningTalk[];
}

/** In the order of their IDs. */
export const epics: readonly DemoEpic[] = [
  {
    author: 'priya',
    title: 'Ready for the season',
    description:
      'When the first boat comes in, **nobody** has to ask where to go.\n\n- pictures and checklists\n- links that work',
    labels: ['season'],
    days: [0, 120],
    issues: [
      ['tidemark/season-plan', 2],
      ['tidemark/season-plan', 3],
      ['tidemark/season-plan', 6],
    ],
    talk: [
      ['amara', 'The prices are agreed on, so we can print in February.'],
      ['priya', 'Then I move the printer forward.'],
    ],
  },
  {
    author: 'rafael',
    title: 'Nights without calls',
    description: 'Of eleven calls last month, nine were about a disk that was fine.',
    labels: ['harbours'],
    days: [14, 75],
    issues: [
      ['tidemark/operations/on-call', 5],
      ['tidemark/operations/on-call', 6],
    ],
    talk: [['jonas', 'I slept through two of them.']],
  },
  {
    author: 'amara',
    title: 'One price list everywhere',
    description: 'App, desk and web site read the same file.',
    labels: [],
    isClosed: true,
    issues: [['tidemark/season-plan', 4]],
    talk: [],
  },
  {
    author: 'priya',
    title: 'Talks with the islands',
    description: 'Nothing of this is public before both sides have signed.',
    labels: ['waiting'],
    confidential: true,
    issues: [],
    talk: [],
  },
];

/** Users with the users they follow. */
export const follows: readonly (readonly [follower: string, followed: string])[] = [
  ['root', 'priya'],
  ['root', 'rafael'],
  ['mei', 'tomasz'],
  ['tomasz', 'mei'],
  ['leila', 'priya'],
  ['jonas', 'rafael'],
  ['amara', 'priya'],
];

/** Users whom the owner adds on the last evening, so that the projects have recent audit events. */
export const latecomers: readonly (readonly [project: string, username: string, level: AccessLevel])[] = [
  ['amara/berth-api', 'jonas', 20],
  ['mei/skipper-app', 'rafael', 20],
  ['tomasz/harbour-desk', 'rafael', 30],
];

export interface DemoSnippet {
  readonly author: string;
  /** Full path of the project. Undefined for a personal snippet. */
  readonly project?: string;
  readonly title: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly files: Readonly<Record<string, string>>;
  readonly talk?: readonly EveningTalk[];
}

/** In the order of their IDs. */
export const snippets: readonly DemoSnippet[] = [
  {
    author: 'priya',
    title: 'Week numbers as dates',
    description: 'Harbours plan in *weeks*, everybody else in days.',
    visibility: 'public',
    files: {
      'weeks.py':
        'from datetime import date\n\n\ndef monday(year, week):\n    """The first day of a week as harbours count them."""\n    return date.fromisocalendar(year, week, 1)\n',
    },
  },
  {
    author: 'jonas',
    title: 'Read the meter of a pedestal',
    description: 'Works with everything since revision 4:\n\n1. plug in the adapter\n2. `./read.sh /dev/ttyUSB0`',
    visibility: 'internal',
    files: {
      'read.sh':
        '#!/bin/sh\n# Sends one question and prints the answer.\nstty -F "$1" 9600 raw\nprintf \'\\001M\\r\' > "$1"\nhead -c 12 "$1" | xxd\n',
      'registers.md':
        '| Register | Meaning |\n| --- | --- |\n| `M` | Energy in Wh |\n| `P` | Power in W |\n| `T` | Temperature |\n',
    },
  },
  {
    author: 'root',
    title: 'Berths per harbour',
    description: 'For the question that comes every Monday.',
    visibility: 'internal',
    files: {
      'berths.sql':
        'SELECT harbour.name, count(*) AS berths\nFROM berth\nJOIN harbour ON harbour.id = berth.harbour_id\nGROUP BY harbour.name\nORDER BY berths DESC;\n',
    },
  },
  {
    author: 'amara',
    title: 'Notes for the tax adviser',
    description: '',
    visibility: 'private',
    files: { 'notes.md': '- Deposits are no income before autumn.\n- Ask about the reduced rate for power.\n' },
  },
  {
    author: 'amara',
    project: 'amara/berth-api',
    title: 'Bookings that overlap',
    description: 'Finds two boats in one berth. It **should** find none.',
    visibility: 'internal',
    files: {
      'overlaps.sql':
        'SELECT a.id, b.id\nFROM booking a\nJOIN booking b ON a.berth_id = b.berth_id AND a.id < b.id\nWHERE a.arrival < b.departure AND b.arrival < a.departure;\n',
    },
    talk: [
      ['mei', 'It found one in the data of last summer. Is that the one with the catamaran?'],
      ['amara', 'Yes. It has two berths in reality.'],
    ],
  },
  {
    author: 'leila',
    project: 'leila/tide-data',
    title: 'One day of tides as a table',
    description: 'An example of what the export looks like, and of how to read it.',
    visibility: 'public',
    files: {
      'day.csv': 'time,height_m\n00:40,0.31\n06:52,2.18\n13:05,0.27\n19:20,2.24\n',
      'read.py':
        "import csv\n\nwith open('day.csv', newline='') as file:\n    for row in csv.DictReader(file):\n        print(row['time'], row['height_m'])\n",
    },
    talk: [['jonas', 'Just what the display needs.']],
  },
];

/** Files fetched through the virtual registry of the group, with their upstream. */
export const cachedFiles = [
  {
    url: 'https://maven.tidemark.example/public',
    name: 'public',
    description: 'Libraries that everybody uses',
    files: [
      { path: 'org/example/tides/2.4.1/tides-2.4.1.jar', sha1: '3f1d0c6a9be25b7c7d2a8f40c1e6b5d9a2c47e10', size: 184_320 },
      { path: 'org/example/tides/2.4.1/tides-2.4.1.pom', sha1: '90b2f7c41aa05ed83c6f19de7705c3a4be218f6d', size: 2_048 },
      { path: 'org/example/geo/1.0.3/geo-1.0.3.jar', sha1: 'c5e8127fd0b94a36a1f2d7c0834e6b5a9910df27', size: 96_256 },
    ],
  },
  {
    url: 'https://maven.tidemark.example/partners',
    name: 'partners',
    description: 'What the makers of the gates give us',
    files: [{ path: 'example/gates/driver/7.2/driver-7.2.jar', sha1: '1b7e5a40c3d2968f0ae4b6c7d8f9102a3b4c5d6e', size: 412_672 }],
  },
];

/** Branches of the gate firmware that are pushed at once, which is one event of the activity. */
export const firmwareBranches: readonly string[] = ['north', 'south', 'island', 'quay', 'lock'].map((gate) => `gate-${gate}`);
