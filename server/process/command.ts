import { parseArgs } from 'node:util';
import { isSnapshotName } from '../../src/contract/control.ts';
import { Fatal } from '../core/fatal.ts';
import { type LogLevel, logLevels } from '../core/log.ts';
import { isAddress, parseSmtpUrl, type SmtpServer } from '../support/smtpUrl.ts';
import { isLoopbackOrigin } from '../http/hostGuard.ts';
import { defaultPackLimits, type PackLimits } from '../repositories/packLimits.ts';
import { DEFAULT_STORAGE } from '../repositories/repositories.ts';
import { nearest } from '../support/nearest.ts';
import type { Release } from '../../src/contract/releases.ts';
import { defaultProfile, type Dialect, type Offering, offerings, releases, type Tier, tiers } from '../core/profile.ts';
import { VERSION } from '../core/version.ts';

export interface ServeCommand {
  readonly kind: 'serve';
  readonly port: number;
  readonly host: string;
  readonly allowRemote: boolean;
  /** Undefined for the user's default data folder. */
  readonly dataDir: string | undefined;
  readonly memory: boolean;
  /** Initial data of a new server: none, the demo data, or a seed file. */
  readonly seed: 'none' | 'demo' | { readonly file: string };
  /** Start with a new database. The previous one is kept as a snapshot. */
  readonly reset: boolean;
  /** Name of the snapshot to start from. The previous database is kept as a snapshot, too. */
  readonly restore: string | undefined;
  /** Folders of further repository storages by name. */
  readonly storages: ReadonlyMap<string, string>;
  /** Limits of pushed packs. */
  readonly packLimits: PackLimits;
  readonly publicUrl: string | undefined;
  readonly release: Release;
  readonly tier: Tier;
  readonly offering: Offering;
  readonly dialect: Dialect;
  /** Registry on this machine from which the dependency proxy pulls. */
  readonly dependencyProxyUpstream: string | undefined;
  /** True to accept PKCE without a hash, for clients that cannot compute SHA-256. */
  readonly allowPlainPkce: boolean;
  /** SMTP server that mails are sent to, besides the local mailbox. The password is read from standard input or the file. */
  readonly smtp: Omit<SmtpServer, 'password'> | undefined;
  readonly smtpPasswordFile: string | undefined;
  readonly logLevel: LogLevel;
  /** The parent process writes the admin token as one line of JSON to standard input. The server stops when that input closes. */
  readonly stdinHandshake: boolean;
}

/** Applies a seed file to a running server, or to a data folder that is not in use. */
export interface SeedCommand {
  readonly kind: 'seed';
  readonly file: string;
  /** Undefined for the user's default data folder. */
  readonly dataDir: string | undefined;
  /** Origin of a running server. Undefined for the server that uses the data folder. */
  readonly server: string | undefined;
  readonly logLevel: LogLevel;
}

export type Command = ServeCommand | SeedCommand | { readonly kind: 'text'; readonly text: string };

const MIB = 1024 * 1024;
/** Largest size of an option, in MiB. */
const MAX_MEBIBYTES = 1024 ** 3;

const options = {
  port: { type: 'string', default: '0' },
  host: { type: 'string', default: '127.0.0.1' },
  'allow-remote': { type: 'boolean', default: false },
  data: { type: 'string' },
  memory: { type: 'boolean', default: false },
  seed: { type: 'string', default: 'none' },
  reset: { type: 'boolean', default: false },
  restore: { type: 'string' },
  storage: { type: 'string', multiple: true },
  'max-object-size': { type: 'string', default: String(defaultPackLimits.object / MIB) },
  'max-unpacked-size': { type: 'string', default: String(defaultPackLimits.total / MIB) },
  server: { type: 'string' },
  'public-url': { type: 'string' },
  release: { type: 'string', default: defaultProfile.release },
  tier: { type: 'string', default: defaultProfile.tier },
  offering: { type: 'string', default: defaultProfile.offering },
  dialect: { type: 'string', default: defaultProfile.dialect },
  'dependency-proxy-upstream': { type: 'string' },
  'allow-plain-pkce': { type: 'boolean', default: false },
  'smtp-url': { type: 'string' },
  'smtp-from': { type: 'string' },
  'smtp-password-file': { type: 'string' },
  'log-level': { type: 'string', default: 'info' },
  'stdin-handshake': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', short: 'v', default: false },
} as const;

const seedOptions = ['--data', '--server', '--log-level', '--help', '--version', '-h', '-v'];

const USAGE = `Usage: signalbox serve [options]
       signalbox seed FILE [--data FOLDER | --server URL] [--log-level LEVEL]

Commands
  serve  Run a local server: OAuth provider, REST and GraphQL APIs, web pages and error tracking, stored in one SQLite database.
  seed   Add the data of a seed file (YAML or JSON), either completely or not at all. If a server uses the data folder, the file is
         sent to that server, which requires SIGNALBOX_ADMIN_TOKEN.

Options of serve
  --port N             Port to listen on; 0 selects a free port (default 0)
  --host ADDRESS       Address to listen on (default 127.0.0.1)
  --allow-remote       Allow a --host that is not a loopback address
  --public-url URL     Address that links contain, if clients reach the server under another one
  --data FOLDER        Data folder (default: the standard data folder of your operating system)
  --memory             Keep all data in memory
  --seed none|demo|FILE
                       Initial data of a new server: none, demo data or a seed file (default none)
  --reset              Start with a new database; the previous one is kept as a snapshot
  --restore NAME       Start with a copy of a snapshot; the previous database is kept as a snapshot
  --storage NAME=FOLDER
                       Further storage for repositories, besides the one in the data folder; can be repeated
  --max-object-size MIB
                       Largest object that can be pushed, when it is unpacked (default ${defaultPackLimits.object / MIB})
  --max-unpacked-size MIB
                       Largest size of all objects of a push, when they are unpacked; at least 200 times the size of its pack
                       (default ${defaultPackLimits.total / MIB})
  --release N.N        Release to emulate, 15.1 to 20.0 (default ${defaultProfile.release})
  --tier free|premium|ultimate
                       Tier to emulate (default ${defaultProfile.tier})
  --offering self-managed|multi-tenant|dedicated
                       Offering to emulate (default ${defaultProfile.offering})
  --dialect documented|observed
                       Respond as documented, or as current servers do (default documented)
  --dependency-proxy-upstream URL
                       Registry on this machine from which the dependency proxy pulls, such as http://127.0.0.1:5000
  --allow-plain-pkce   Accept code_challenge_method=plain, which OAuth security guidance advises against; the metadata
                       still lists only S256
  --smtp-url URL       Also send mails to this SMTP server, such as smtp://user@host:587 or smtps://user@host; without it they
                       only arrive in the local mailbox
  --smtp-from ADDRESS  Address of the sender of mails
  --smtp-password-file FILE
                       File that contains the password for the SMTP server
  --stdin-handshake    Read {"adminToken": "…"} as the first line of standard input, and stop when the input closes; the line may
                       also contain "smtpPassword"

Options of seed
  --data FOLDER        Data folder (default: the standard data folder of your operating system)
  --server URL         Running server to send the file to

General options
  --log-level silent|error|warn|info|debug
                       Lowest level of messages on standard error (default info)
  -h, --help           Show this help
  -v, --version        Show the version

Environment
  SIGNALBOX_ADMIN_TOKEN  Personal access token of the user root with every scope; it also authorizes requests to /_local/
  SERVICE_SHARED_RUNNERS_REGISTRATION_TOKEN
                       Registration token of the instance for runners, in releases before 20.0

Output
  Standard output receives one line of JSON: {"event":"listening",…}, {"event":"busy",…}, {"event":"seeded",…} or
  {"event":"fatal",…}. The line of seed contains generated passwords, tokens and secrets, which are shown only once.`;

/** Parses the command line. Throws Fatal `usage` (exit code 2), for an unknown option with the nearest known one as a hint. */
export function parseCommand(args: readonly string[]): Command {
  const known = Object.keys(options).map((name) => `--${name}`);
  for (const argument of args) {
    if (argument === '--') break;
    const name = argument.split('=', 1)[0] ?? '';
    if (name.startsWith('--') && !known.includes(name)) throw usage(`Unknown option ${name}.`, nearest(name, known));
  }
  const { values, positionals } = parsed(args);
  if (values.help) return { kind: 'text', text: USAGE };
  if (values.version) return { kind: 'text', text: VERSION };
  const [verb, ...rest] = positionals;
  if (verb === 'seed') return seedCommand(args, rest, values);
  if (values.server !== undefined) throw usage('--server is an option of seed.', undefined);
  if (verb !== 'serve') {
    throw verb === undefined
      ? usage('A command is missing.', 'serve')
      : usage(`Unknown command "${verb}".`, nearest(verb, ['serve', 'seed']));
  }
  if (rest.length > 0) throw usage(`Unexpected argument after serve: ${rest.join(' ')}`, undefined);
  if (values.memory && values.data !== undefined) throw usage('--memory and --data cannot be used together.', undefined);
  if (values.memory && (values.reset || values.restore !== undefined))
    throw usage('--memory cannot be used together with --reset or --restore.', undefined);
  if (values.reset && values.restore !== undefined) throw usage('--reset and --restore cannot be used together.', undefined);
  if (values['smtp-url'] === undefined && (values['smtp-from'] ?? values['smtp-password-file']) !== undefined)
    throw usage('--smtp-from and --smtp-password-file require --smtp-url.', undefined);
  if (values.restore !== undefined && !isSnapshotName(values.restore))
    throw usage(`--restore ${values.restore} is not a valid snapshot name.`, undefined);
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw usage(`--port ${values.port} is not a number from 0 to 65535.`, undefined);
  if (!isLoopback(values.host) && !values['allow-remote']) {
    throw usage(
      `--host ${values.host} makes this server reachable from other machines.`,
      undefined,
      'Add --allow-remote to allow this. Anyone who can reach the port can then try to sign in.',
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
    storages: storagesOf(values.storage ?? [], values.memory),
    packLimits: {
      object: bytesOf('--max-object-size', values['max-object-size']),
      total: bytesOf('--max-unpacked-size', values['max-unpacked-size']),
    },
    publicUrl: origin('--public-url', values['public-url']),
    release: choice('--release', values.release, releases, '15.1 to 20.0'),
    tier: choice('--tier', values.tier, tiers),
    offering: choice('--offering', values.offering, offerings),
    dialect: choice('--dialect', values.dialect, ['documented', 'observed']),
    dependencyProxyUpstream: upstreamOption(values['dependency-proxy-upstream']),
    allowPlainPkce: values['allow-plain-pkce'],
    smtp: smtpOption(values['smtp-url'], values['smtp-from']),
    smtpPasswordFile: values['smtp-password-file'],
    logLevel: choice('--log-level', values['log-level'], logLevels),
    stdinHandshake: values['stdin-handshake'],
  };
}

function seedCommand(args: readonly string[], rest: readonly string[], values: ReturnType<typeof parsed>['values']): SeedCommand {
  const [file, ...others] = rest;
  if (file === undefined || file === '') throw usage('seed requires the path of a seed file.', undefined);
  if (others.length > 0) throw usage(`Unexpected argument after the seed file: ${others.join(' ')}`, undefined);
  const foreign = args
    .map((argument) => argument.split('=', 1)[0] ?? '')
    .find((name) => name.startsWith('-') && !seedOptions.includes(name));
  if (foreign !== undefined && foreign !== '--') throw usage(`${foreign} is an option of serve.`, undefined);
  if (values.server !== undefined && values.data !== undefined)
    throw usage('--server and --data cannot be used together.', undefined);
  return {
    kind: 'seed',
    file,
    dataDir: values.data,
    server: origin('--server', values.server),
    logLevel: choice('--log-level', values['log-level'], logLevels),
  };
}

/** Returns the SMTP server of the options. Throws Fatal for an invalid one, without repeating a URL that contains a password. */
function smtpOption(url: string | undefined, from: string | undefined): ServeCommand['smtp'] {
  if (url === undefined) return undefined;
  const parsed = parseSmtpUrl(url);
  if (typeof parsed === 'string') {
    throw usage(
      `The value of --smtp-url ${parsed}.`,
      undefined,
      'Use smtp://user@host:587 and --smtp-password-file. Lists of processes show the options of this server.',
    );
  }
  if (from !== undefined && !isAddress(from)) throw usage(`--smtp-from ${from} is not an email address.`, undefined);
  return { ...parsed, from: from ?? parsed.from };
}

/** Returns the origin of the upstream. Throws Fatal for one on another machine, so that no image is pulled from the internet by accident. */
function upstreamOption(text: string | undefined): string | undefined {
  const address = origin('--dependency-proxy-upstream', text);
  if (address === undefined || isLoopbackOrigin(address)) return address;
  throw usage(
    `--dependency-proxy-upstream ${address} is not on this machine.`,
    undefined,
    'Use an address such as http://127.0.0.1:5000.',
  );
}

/** Returns the folders of storages by name. Throws Fatal for invalid and repeated names. */
function storagesOf(texts: readonly string[], isInMemory: boolean): ReadonlyMap<string, string> {
  const storages = new Map<string, string>();
  if (texts.length > 0 && isInMemory) throw usage('--memory and --storage cannot be used together.', undefined);
  for (const text of texts) {
    const [, name, folder] = /^([A-Za-z0-9][\w.-]{0,99})=(.+)$/s.exec(text) ?? [];
    if (name === undefined || folder === undefined) {
      const hint = 'Use --storage NAME=FOLDER. Names consist of letters, digits, dots, hyphens and underscores.';
      throw usage(`--storage ${text} is not a name and a folder.`, undefined, hint);
    }
    if (name === DEFAULT_STORAGE) throw usage(`The storage ${DEFAULT_STORAGE} is always in the data folder.`, undefined);
    if (storages.has(name)) throw usage(`The storage ${name} is given twice.`, undefined);
    storages.set(name, folder);
  }
  return storages;
}

/** Returns the bytes of a size in MiB. */
function bytesOf(option: string, text: string): number {
  const mebibytes = Number(text);
  if (!/^\d+$/.test(text) || mebibytes < 1 || mebibytes > MAX_MEBIBYTES)
    throw usage(`${option} ${text} is not a number of MiB from 1 to ${MAX_MEBIBYTES}.`, undefined);
  return mebibytes * MIB;
}

/** Returns the path of a seed file. Throws Fatal for a word without extension or folder, which is probably a typo. */
function seedFile(text: string): string {
  if (/[./\\]/.test(text)) return text;
  throw usage(
    `Invalid value for --seed: ${text}. Use none, demo, or a file such as ./harbour.yaml.`,
    nearest(text, ['none', 'demo']),
  );
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : 'The options are invalid.', undefined);
  }
}

function usage(message: string, nearestMatch: string | undefined, hint?: string): Fatal {
  const text =
    hint ?? (nearestMatch === undefined ? 'See signalbox --help.' : `Did you mean ${nearestMatch}? See signalbox --help.`);
  return new Fatal('usage', message, text, 2);
}

/**
 * Returns the value if it is allowed. Throws Fatal otherwise. `allowed` describes the values in the message if they are too many to list.
 */
function choice<const T extends string>(option: string, value: string, values: readonly T[], allowed = values.join(', ')): T {
  const found = values.find((candidate) => candidate === value);
  if (found === undefined) throw usage(`Invalid value for ${option}: ${value}. Allowed: ${allowed}.`, nearest(value, values));
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
  if (!isUsable) throw usage(`${option} ${text} is not an http or https address without a path.`, undefined);
  return url.origin;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
