import { parseArgs } from 'node:util';
import { isSnapshotName } from '../../src/contract/control.ts';
import { Fatal } from './fatal.ts';
import { type LogLevel, logLevels } from '../log.ts';
import { nearest } from '../nearest.ts';
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
  /** What an untouched server begins with: nothing, the demo data, or what a file holds. */
  readonly seed: 'none' | 'demo' | { readonly file: string };
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

/** Adds what a seed file holds to a running server, or to a data folder that no server has. */
export interface SeedCommand {
  readonly kind: 'seed';
  readonly file: string;
  /** Undefined: the person's own default folder. */
  readonly dataDir: string | undefined;
  /** Origin of a running server; undefined: the one that has the data folder. */
  readonly server: string | undefined;
  readonly logLevel: LogLevel;
}

export type Command = ServeCommand | SeedCommand | { readonly kind: 'text'; readonly text: string };

const options = {
  port: { type: 'string', default: '0' },
  host: { type: 'string', default: '127.0.0.1' },
  'allow-remote': { type: 'boolean', default: false },
  data: { type: 'string' },
  memory: { type: 'boolean', default: false },
  seed: { type: 'string', default: 'none' },
  reset: { type: 'boolean', default: false },
  restore: { type: 'string' },
  server: { type: 'string' },
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

const seedOptions = ['--data', '--server', '--log-level', '--help', '--version', '-h', '-v'];

const USAGE = `Usage: signalbox serve [options]
       signalbox seed FILE [--data FOLDER | --server URL] [--log-level LEVEL]

serve runs a local platform: OAuth provider, REST API and web pages on one SQLite file. seed adds what a seed file (YAML or JSON) holds: to
the server that has the data folder, which needs its admin token, or to a folder that no server has. Nothing is added unless all is good.

Options
  --port N             port to listen on; 0 takes a free one (default 0)
  --host ADDRESS       address to listen on (default 127.0.0.1)
  --allow-remote       needed for an address other than loopback
  --data FOLDER        data folder (default: a folder of yours, by the platform's convention)
  --memory             keep everything in memory instead
  --seed none|demo|FILE
                       what a server begins with that nobody has used yet: nothing, demo data, or a seed file (default none)
  --reset              begin with a new database; the old one is kept in the folder snapshots
  --restore NAME       begin with a copy of a snapshot; what was there is kept as one
  --server URL         of seed: a running server
  --public-url URL     address under which others reach the server, used in links
  --release N.N        release to imitate, 15.1 to 20.0 (default ${defaultProfile.release}); what came later is not there
  --tier free|premium|ultimate
                       tier to imitate (default ${defaultProfile.tier})
  --offering self-managed|multi-tenant|dedicated
                       offering to imitate (default ${defaultProfile.offering})
  --dialect documented|observed
                       follow the documented interface, or what servers of this family send (default documented)
  --allow-plain-pkce   accept code_challenge_method=plain, which current advice forbids; the metadata names S256 only
  --log-level silent|error|warn|info|debug
                       what is written to standard error (default info)
  --stdin-handshake    for programs: read {"adminToken": "…"} as one line from standard input, end when it ends
  --help, --version

Environment
  SIGNALBOX_ADMIN_TOKEN  gives user root a personal access token of this value with every scope, and opens /_local/

Standard output carries one line of JSON: {"event":"listening",…}, {"event":"busy",…} or {"event":"fatal",…}, of seed
{"event":"seeded",…} with the secrets that were made, which are shown this once.`;

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
  if (verb === 'seed') return seedCommand(args, rest, values);
  if (values.server !== undefined) throw usage('--server belongs to seed.', undefined);
  if (verb !== 'serve') {
    throw verb === undefined
      ? usage('A command is missing.', 'serve')
      : usage(`There is no command "${verb}".`, nearest(verb, ['serve', 'seed']));
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
    seed: values.seed === 'none' || values.seed === 'demo' ? values.seed : { file: seedFile(values.seed) },
    reset: values.reset,
    restore: values.restore,
    publicUrl: origin('--public-url', values['public-url']),
    release: choice('--release', values.release, releases, '15.1 to 20.0'),
    tier: choice('--tier', values.tier, tiers),
    offering: choice('--offering', values.offering, offerings),
    dialect: choice('--dialect', values.dialect, ['documented', 'observed']),
    allowPlainPkce: values['allow-plain-pkce'],
    logLevel: choice('--log-level', values['log-level'], logLevels),
    stdinHandshake: values['stdin-handshake'],
  };
}

function seedCommand(args: readonly string[], rest: readonly string[], values: ReturnType<typeof parsed>['values']): SeedCommand {
  const [file, ...others] = rest;
  if (file === undefined || file === '') throw usage('seed needs the name of a seed file.', undefined);
  if (others.length > 0) throw usage(`"${others.join(' ')}" is not understood after the file.`, undefined);
  const foreign = args
    .map((argument) => argument.split('=', 1)[0] ?? '')
    .find((name) => name.startsWith('-') && !seedOptions.includes(name));
  if (foreign !== undefined && foreign !== '--') throw usage(`${foreign} belongs to serve.`, undefined);
  if (values.server !== undefined && values.data !== undefined) throw usage('--server and --data exclude each other.', undefined);
  return {
    kind: 'seed',
    file,
    dataDir: values.data,
    server: origin('--server', values.server),
    logLevel: choice('--log-level', values['log-level'], logLevels),
  };
}

/** A file has an ending or lies in a folder; anything else is a mistyped word. */
function seedFile(text: string): string {
  if (/[./\\]/.test(text)) return text;
  throw usage(
    `--seed ${text} is not known; it takes none, demo, or a file such as ./harbour.yaml.`,
    nearest(text, ['none', 'demo']),
  );
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : 'The options are not understood.', undefined);
  }
}

function usage(message: string, nearestMatch: string | undefined, hint?: string): Fatal {
  const text =
    hint ?? (nearestMatch === undefined ? 'See signalbox --help.' : `Did you mean ${nearestMatch}? See signalbox --help.`);
  return new Fatal('usage', message, text, 2);
}

/** `told` says what it takes where the values are too many to name. */
function choice<const T extends string>(option: string, value: string, values: readonly T[], reported = values.join(', ')): T {
  const found = values.find((candidate) => candidate === value);
  if (found === undefined) throw usage(`${option} ${value} is not known; it takes ${reported}.`, nearest(value, values));
  return found;
}

function origin(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isUsable =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.search === '' &&
    url.hash === '' &&
    url.pathname === '/';
  if (!isUsable) throw usage(`${option} ${text} is no http(s) address without path.`, undefined);
  return url.origin;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
