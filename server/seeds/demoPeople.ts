import type { AccessLevel, Visibility } from '../features/abilities/abilities.ts';
import type { Trade } from './demoTexts.ts';

export interface DemoPerson {
  readonly username: string;
  readonly name: string;
  readonly bio: string;
}

/** In the order of their IDs, from 2. ID 1 is root. */
export const people: readonly DemoPerson[] = [
  { username: 'amara', name: 'Amara Okafor', bio: 'Bookings and billing at Tidemark' },
  { username: 'jonas', name: 'Jonas Lindqvist', bio: 'Firmware. Usually on a dock with a laptop.' },
  { username: 'mei', name: 'Mei Zhou', bio: 'Mobile app and notifications' },
  { username: 'rafael', name: 'Rafael Ortega', bio: 'Keeps the servers up' },
  { username: 'priya', name: 'Priya Raman', bio: 'Product, planning and the handbook' },
  { username: 'tomasz', name: 'Tomasz Wieczorek', bio: 'Front end of the harbour desk' },
  { username: 'leila', name: 'Leila Haddad', bio: 'Tide data and customer support' },
];

export interface DemoProject {
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly trade: Trade;
  /** Relative amount of activity. */
  readonly weight: number;
  /** Members in addition to the owner, in the order in which they joined. */
  readonly members: readonly (readonly [username: string, level: AccessLevel])[];
  readonly labels: readonly [string, ...string[]];
  /** Topics of its issues. */
  readonly things: readonly [string, ...string[]];
}

/** In the order of their IDs. */
export const projects: readonly DemoProject[] = [
  {
    owner: 'amara',
    name: 'Berth API',
    description: 'Which berth is free when, and who booked it',
    visibility: 'internal',
    trade: 'service',
    weight: 13,
    members: [
      ['mei', 30],
      ['tomasz', 30],
      ['priya', 20],
      ['rafael', 40],
      ['leila', 20],
      ['root', 40],
    ],
    labels: ['bug', 'feature', 'performance', 'customer'],
    things: [
      'the berth search',
      'the booking endpoint',
      'the waiting list job',
      'the season lookup',
      'the price calculation',
      'the overlap check',
      'the guest booking',
      'the cancellation job',
      'the harbour import',
      'the availability cache',
      'the berth editor',
      'the arrival webhook',
      'the statistics query',
      'the partner interface',
      'the nightly clean-up',
    ],
  },
  {
    owner: 'mei',
    name: 'Skipper App',
    description: 'Book a berth, open the gate, pay: the app for boat owners',
    visibility: 'internal',
    trade: 'ui',
    weight: 14,
    members: [
      ['tomasz', 30],
      ['amara', 30],
      ['priya', 20],
      ['leila', 20],
    ],
    labels: ['bug', 'feature', 'design', 'customer'],
    things: [
      'the booking list',
      'the berth map',
      'the gate button',
      'the payment sheet',
      'the tide chart',
      'the boat profile',
      'the sign-in screen',
      'the arrival form',
      'the message centre',
      'the harbour page',
      'the receipt view',
      'the settings screen',
      'the offline notice',
      'the tour for new users',
    ],
  },
  {
    owner: 'tomasz',
    name: 'Harbour Desk',
    description: 'The web application of the harbour office',
    visibility: 'internal',
    trade: 'ui',
    weight: 13,
    members: [
      ['mei', 30],
      ['amara', 40],
      ['priya', 20],
      ['leila', 30],
      ['root', 40],
    ],
    labels: ['bug', 'feature', 'design', 'accessibility'],
    things: [
      'the berth plan',
      'the day view',
      'the arrivals board',
      'the invoice editor',
      'the guest book',
      'the season editor',
      'the pedestal overview',
      'the search box',
      'the report page',
      'the user administration',
      'the payment dialog',
      'the message editor',
      'the print view',
    ],
  },
  {
    owner: 'jonas',
    name: 'Gate Firmware',
    description: 'Firmware of dock gates and power pedestals',
    visibility: 'private',
    trade: 'device',
    weight: 11,
    members: [
      ['rafael', 30],
      ['amara', 20],
      ['root', 40],
    ],
    labels: ['bug', 'hardware', 'field report', 'safety'],
    things: [
      'the gate controller',
      'the energy meter',
      'the card reader',
      'the radio module',
      'the display',
      'the real-time clock',
      'the relay board',
      'the boot loader',
      'the temperature sensor',
      'the leak detector',
      'the status light',
      'the door sensor',
    ],
  },
  {
    owner: 'rafael',
    name: 'Platform',
    description: 'Deployment, monitoring, backups',
    visibility: 'private',
    trade: 'ops',
    weight: 11,
    members: [
      ['root', 50],
      ['amara', 30],
      ['jonas', 30],
      ['tomasz', 20],
    ],
    labels: ['incident', 'maintenance', 'security', 'cost'],
    things: [
      'the database cluster',
      'the message broker',
      'the backup job',
      'the mail relay',
      'the build runner',
      'the metrics store',
      'the load balancer',
      'the device gateway',
      'the staging environment',
      'the log pipeline',
      'the object store',
      'the name server',
    ],
  },
  {
    owner: 'amara',
    name: 'Billing',
    description: 'Invoices, payments and dunning',
    visibility: 'private',
    trade: 'service',
    weight: 9,
    members: [
      ['priya', 20],
      ['leila', 20],
      ['tomasz', 30],
      ['root', 40],
    ],
    labels: ['bug', 'tax', 'customer', 'compliance'],
    things: [
      'the invoice run',
      'the payment import',
      'the reminder job',
      'the tax report job',
      'the credit note endpoint',
      'the card terminal sync',
      'the price list import',
      'the deposit refund job',
      'the yearly statement job',
    ],
  },
  {
    owner: 'leila',
    name: 'Tide Data',
    description: 'Tides, wind and water levels for every harbour we know',
    visibility: 'public',
    trade: 'data',
    weight: 8,
    members: [
      ['jonas', 30],
      ['mei', 20],
      ['rafael', 30],
    ],
    labels: ['data quality', 'import', 'feature'],
    things: [
      'the tide table',
      'the water level feed',
      'the wind forecast',
      'the buoy data',
      'the gauge history',
      'the storm warning feed',
      'the station list',
      'the moon calendar',
      'the wave height series',
    ],
  },
  {
    owner: 'tomasz',
    name: 'Design Kit',
    description: 'Components and colours shared by app and desk',
    visibility: 'public',
    trade: 'ui',
    weight: 5,
    members: [
      ['mei', 30],
      ['priya', 10],
    ],
    labels: ['bug', 'component', 'accessibility'],
    things: [
      'the date picker',
      'the data table',
      'the toast',
      'the side panel',
      'the icon set',
      'the form field',
      'the colour theme',
      'the map legend',
    ],
  },
  {
    owner: 'priya',
    name: 'Handbook',
    description: 'How we work, written down',
    visibility: 'internal',
    trade: 'docs',
    weight: 5,
    members: [
      ['leila', 40],
      ['root', 40],
      ['rafael', 20],
    ],
    labels: ['people', 'process', 'office'],
    things: [
      'the on-call guide',
      'the first week plan',
      'the travel policy',
      'the release checklist',
      'the interview guide',
      'the support rota',
      'the security briefing',
      'the glossary',
    ],
  },
  {
    owner: 'mei',
    name: 'Notify',
    description: 'Mail, push and text messages to boat owners',
    visibility: 'internal',
    trade: 'service',
    weight: 6,
    members: [
      ['amara', 30],
      ['rafael', 30],
      ['leila', 10],
    ],
    labels: ['bug', 'feature', 'delivery'],
    things: [
      'the push sender',
      'the text message queue',
      'the mail sender',
      'the quiet hours check',
      'the bounce handler',
      'the digest job',
      'the storm alert',
      'the departure reminder',
    ],
  },
  {
    owner: 'leila',
    name: 'Support Desk',
    description: 'What customers tell us, and what we answer',
    visibility: 'private',
    trade: 'docs',
    weight: 6,
    members: [
      ['priya', 30],
      ['amara', 20],
      ['mei', 20],
      ['root', 40],
    ],
    labels: ['question', 'complaint', 'praise', 'follow-up'],
    things: [
      'the answer about refunds',
      'the guide to the gate card',
      'the page on opening hours',
      'the letter to new harbours',
      'the list of known problems',
      'the phone script',
      'the answer about deposits',
      'the winter storage notice',
    ],
  },
  {
    owner: 'jonas',
    name: 'Pedestal Simulator',
    description: 'A power pedestal without the pedestal, for tests and demonstrations',
    visibility: 'public',
    trade: 'tool',
    weight: 4,
    members: [
      ['rafael', 30],
      ['tomasz', 20],
    ],
    labels: ['bug', 'feature', 'protocol'],
    things: [
      'the simulated meter',
      'the fault generator',
      'the virtual card reader',
      'the scenario player',
      'the serial bridge',
      'the load profile',
      'the dock of ten pedestals',
    ],
  },
];

/** Membership changes, by the day of the span. */
export const comingsAndGoings: readonly {
  readonly day: number;
  readonly project: string;
  readonly username: string;
  /** Null if the member leaves. */
  readonly level: AccessLevel | null;
}[] = [
  { day: 24, project: 'Design Kit', username: 'amara', level: 30 },
  { day: 31, project: 'Platform', username: 'tomasz', level: null },
  { day: 38, project: 'Tide Data', username: 'priya', level: 20 },
  { day: 45, project: 'Notify', username: 'leila', level: null },
  { day: 52, project: 'Gate Firmware', username: 'priya', level: 20 },
  { day: 59, project: 'Skipper App', username: 'jonas', level: 20 },
  { day: 63, project: 'Billing', username: 'tomasz', level: null },
  { day: 70, project: 'Pedestal Simulator', username: 'mei', level: 10 },
  { day: 74, project: 'Design Kit', username: 'amara', level: null },
  { day: 81, project: 'Platform', username: 'tomasz', level: 20 },
];
