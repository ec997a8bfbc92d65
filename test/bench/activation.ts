import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { prepare } from '../../scripts/vscode-host.ts';
import { startCommands } from '../../src/startCommands.ts';
import { openOwnEditor } from '../support/host/installation.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/serverProcess.ts';
import { checkSameWork, type Limit, median, type Ratio, ratio, rounded, roundsUntilSure } from './harness.ts';
import { slowness } from './slowness.ts';

const MAX_ROUNDS = 41;
const LIMIT: Limit = { atMost: 1.5 };
const EXTENSION = 'signalbox';
/** Number of views that activation registers. */
const VIEWS = 4;
/** Two identical control extensions: the first extension to be activated pays for what VS Code initializes once for all extensions. */
const CONTROLS = ['aa-control', 'zz-control'];
const here = import.meta.dirname;

/**
 * Measures what the extension costs when a window opens: the time of its `activate` call in the extension host of a real VS Code, compared
 * with the mean of two control extensions that are activated by the same event in the same window, and register as many views, commands and
 * handlers each. What is left is the extension's own work. Each round reloads the window. Load times are reported as details.
 */
export async function activation(): Promise<Ratio> {
  prepare('current', console.log);
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'times');
  const editor = await openOwnEditor({
    neighbours: CONTROLS.map((name) => controlExtension(path.join(folder.path, name), name)),
    env: {
      ACTIVATION_FILE: file,
      ACTIVATION_NAMES: [EXTENSION, ...CONTROLS].join(','),
      ...(slowness() === 1 ? {} : { ACTIVATION_SLOW: JSON.stringify({ name: EXTENSION, factor: slowness() }) }),
    },
    nodeArguments: [`--import=${path.join(here, 'activationTimes.mjs')}`],
  });
  try {
    const rounds: Window[] = [];
    const seen = new Set<number>();
    const next = async (): Promise<number> => {
      await editor.workbench.reload();
      const window = await newWindow(file, seen);
      rounds.push(window);
      return window.own.call / window.control.call;
    };
    // The first window only warms the file system cache.
    await next();
    rounds.length = 0;
    const ratios = await roundsUntilSure(LIMIT, MAX_ROUNDS, next);
    return ratio(
      'activation',
      'time of activate(), extension / control extension that registers as many things, in a real VS Code',
      ratios,
      LIMIT,
      {
        callMilliseconds: rounded(median(rounds.map(({ own }) => own.call))),
        controlCallMilliseconds: rounded(median(rounds.map(({ control }) => control.call))),
        loadMilliseconds: rounded(median(rounds.map(({ own }) => own.load))),
        controlLoadMilliseconds: rounded(median(rounds.map(({ control }) => control.load))),
      },
    );
  } finally {
    await editor.close();
  }
}

/** Times in milliseconds, without the time in which other programs had the processors. */
interface Times {
  /** Time to read and run the module. */
  readonly load: number;
  readonly call: number;
}

/** Number of things that an extension has registered. */
interface Registered {
  readonly registered: number;
}

interface Window {
  readonly own: Times;
  readonly control: Times;
}

type Line = Times & Registered & { readonly pid: number; readonly name: string };

/** Returns the times of a new extension host once the extension and both controls are activated. */
async function newWindow(file: string, seen: Set<number>): Promise<Window> {
  const lines = await until(
    () => Promise.resolve(latestWindow(file, seen)),
    (found) => found.length === CONTROLS.length + 1,
    'activation of the extension and its controls',
  );
  for (const { pid } of lines) seen.add(pid);
  const own = lines.find(({ name }) => name === EXTENSION);
  const controls = lines.filter(({ name }) => name !== EXTENSION);
  if (own === undefined) throw new Error('the extension is not activated');
  for (const { registered } of controls) checkSameWork('registered views, commands and handlers', own.registered, registered);
  const mean = (what: keyof Times): number => controls.reduce((sum, line) => sum + line[what], 0) / controls.length;
  return { own, control: { load: mean('load'), call: mean('call') } };
}

function latestWindow(file: string, seen: ReadonlySet<number>): readonly Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
  const pid = lines.at(-1)?.pid;
  return lines.filter((line) => line.pid === pid && !seen.has(line.pid));
}

/** Writes a control extension with the given name and returns its folder. */
function controlExtension(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(here, 'activationControl/extension.js'), path.join(folder, 'extension.js'));
  const manifest = {
    name,
    publisher: 'signalbox-bench',
    version: '1.0.0',
    engines: { vscode: '^1.112.0' },
    main: './extension.js',
    activationEvents: ['onStartupFinished'],
    contributes: {
      views: { explorer: Array.from({ length: VIEWS }, (_, index) => ({ id: `${name}.view${index}`, name: 'Control' })) },
      commands: Object.keys(startCommands).map((command) => ({ command: `${name}.${command}`, title: 'Control' })),
      authentication: [{ id: name, label: name }],
    },
  };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  return folder;
}
