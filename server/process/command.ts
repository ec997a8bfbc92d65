import { parseArgs } from 'node:util';
import { isSnapshotName } from '../../src/contract/control.ts';
import { Fatal } from './fatal.ts';
import { type LogLevel, logLevels } from '../log.ts';
import type { Release } from '../../src/contract/releases.ts';
import { defaultProfile, type Dialect, type Offering, offerings, releases, type Tier, tiers } from '../profile.ts';
import { VERSION } from '../version.ts';

export interface ServeCommand {
  readonly kind: 'serve';
  readonly port: number;
  readonly host: string;
  readonly allowRemote: boolean;
  /** Undefined: the person's own default folder. */
  readonly dataDir: string | undefined;
  readonly memory: boolean;
  readonly seed: 'none' | 'demo';
  /** Begin with a new database; the one that is there becomes a snapshot. */
  readonly reset: boolean;
  /** Name of the snapshot to begin with; the database that is there becomes one, too. */
  readonly restore: string | undefined;
  readonly publicUrl: string | undefined;
  readonly release: Release;
  readonly tier: Tier;
  readonly offering: Offering;
  readonly dialect: Dialect;
  /** Whether PKCE may be done without a hash, for clients that cannot do otherwise. */
  readonly allowPlainPkce: boolean;
  readonly logLevel: LogLevel;
  /** The starting program writes one line of JSON with the admin token to standard input; the server ends when that input ends. */
  readonly stdinHandshake: boolean;
}

export type Command = ServeCommand | { readonly kind: 'text'; readonly text: string };

const options = {
  port: { type: 'string', default: '0' },
  host: { type: 'string', default: '127.0.0.1' },
  'allow-remote': { type: 'boolean', default: false },
  data: { type: 'string' },
  memory: { type: 'boolean', default: false },
  seed: { type: 'string', default: 'none' },
  reset: { type: 'boolean', default: false },
  restore: { type: 'string' },
  'public-url': { type: 'string' },
  release: { type: 'string', default: defaultProfile.release },
  tier: { type: 'string', default: defaultProfile.tier },
  offering: { type: 'string', default: defaultProfile.offering },
  dialect: { type: 'string', default: defaultProfile.dialect },
  'allow-plain-pkce': { type: 'boolean', default: false },
  'log-level': { type: 'string', default: 'info' },
  'stdin-handshake': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', short: 'v', default: false },
} as const;

const USAGE = `Usage: signalbox serve [options]

Runs a local platform: OAuth provider, REST API and web pages on one SQLite file.

Options
  --port N             port to listen on; 0 takes a free one (default 0)
  --host ADDRESS       address to listen on (default 127.0.0.1)
  --allow-remote       needed for an address other than loopback
  --data FOLDER        data folder (default: a folder of yours, by the platform's convention)
  --memory             keep everything in memory instead
  --seed none|demo     what an empty database starts with (default none)
  --reset              begin with a new database; the old one is kept in the folder snapshots
  --restore NAME       begin with a copy of a snapshot; what was there is kept as one
  --public-url URL     address under which others reach the server, used in links
  --release N.N        release to imitate, 15.1 to 20.0 (default ${defaultProfile.release}); what came later is not there
  --tier free|premium|ultimate
                       tier to imitate (default ${defaultProfile.tier})
  --offering self-managed|multi-tenant|dedicated
                       offering to imitate (default ${defaultProfile.offering})
  --dialect documented|observed
                       say what the interface description says, or what servers of this family send (default documented)
  --allow-plain-pkce   accept code_challenge_method=plain, which current advice forbids; the metadata names S256 only
  --log-level silent|error|warn|info|debug
                       what is written to standard error (default info)
  --stdin-handshake    for programs: read {"adminToken": "…"} as one line from standard input, end when it ends
  --help, --version

Environment
  SIGNALBOX_ADMIN_TOKEN  gives user root a personal access token of this value with every scope, and opens /_local/

Standard output carries one line of JSON: {"event":"listening",…}, {"event":"busy",…} or {"event":"fatal",…}.`;

/** Reads the command line. Throws Fatal `usage` (exit 2) with the nearest option when one is not known. */
export function parseCommand(args: readonly string[]): Command {
  const known = Object.keys(options).map((name) => `--${name}`);
  for (const argument of args) {
    if (argument === '--') break;
    const name = argument.split('=', 1)[0] ?? '';
    if (name.startsWith('--') && !known.includes(name)) throw usage(`There is no option ${name}.`, nearest(name, known));
  }
  const { values, positionals } = parsed(args);
  if (values.help) return { kind: 'text', text: USAGE };
  if (values.version) return { kind: 'text', text: VERSION };
  const [verb, ...rest] = positionals;
  if (verb !== 'serve') {
    throw verb === undefined
      ? usage('A command is missing.', 'serve')
      : usage(`There is no command "${verb}".`, nearest(verb, ['serve']));
  }
  if (rest.length > 0) throw usage(`"${rest.join(' ')}" is not understood after serve.`, undefined);
  if (values.memory && values.data !== undefined) throw usage('--memory and --data exclude each other.', undefined);
  if (values.memory && (values.reset || values.restore !== undefined))
    throw usage('--memory keeps no data that --reset or --restore could be about.', undefined);
  if (values.reset && values.restore !== undefined) throw usage('--reset and --restore exclude each other.', undefined);
  if (values.restore !== undefined && !isSnapshotName(values.restore))
    throw usage(`--restore ${values.restore} is no name of a snapshot.`, undefined);
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw usage(`--port ${values.port} is no port; it goes from 0 to 65535.`, undefined);
  if (!isLoopback(values.host) && !values['allow-remote']) {
    throw usage(
      `--host ${values.host} would let other machines reach this server.`,
      undefined,
      'Add --allow-remote if that is wanted; everyone who reaches the port can then try to sign in.',
    );
  }
  return {
    kind: 'serve',
    port,
    host: values.host,
    allowRemote: values['allow-remote'],
    dataDir: values.data,
    memory: values.memory,
    seed: choice('--seed', values.seed, ['none', 'demo']),
    reset: values.reset,
    restore: values.restore,
    publicUrl: publicUrl(values['public-url']),
    release: choice('--release', values.release, releases, '15.1 to 20.0'),
    tier: choice('--tier', values.tier, tiers),
    offering: choice('--offering', values.offering, offerings),
    dialect: choice('--dialect', values.dialect, ['documented', 'observed']),
    allowPlainPkce: values['allow-plain-pkce'],
    logLevel: choice('--log-level', values['log-level'], logLevels),
    stdinHandshake: values['stdin-handshake'],
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : 'The options are not understood.', undefined);
  }
}

function usage(message: string, nearestMatch: string | undefined, hint?: string): Fatal {
  const words =
    hint ?? (nearestMatch === undefined ? 'See signalbox --help.' : `Did you mean ${nearestMatch}? See signalbox --help.`);
  return new Fatal('usage', message, words, 2);
}

/** `told` says what it takes where the values are too many to name. */
function choice<const T extends string>(option: string, value: string, values: readonly T[], told = values.join(', ')): T {
  const found = values.find((candidate) => candidate === value);
  if (found === undefined) throw usage(`${option} ${value} is not known; it takes ${told}.`, nearest(value, values));
  return found;
}

function publicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isUsable =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.search === '' &&
    url.hash === '' &&
    url.pathname === '/';
  if (!isUsable) throw usage(`--public-url ${text} is no http(s) address without path.`, undefined);
  return url.origin;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The known word with the smallest edit distance. */
function nearest(word: string, words: readonly string[]): string | undefined {
  return words.map((known) => ({ known, distance: editDistance(word, known) })).sort((a, b) => a.distance - b.distance)[0]?.known;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
