import { setTimeout } from 'node:timers/promises';
import { prepare } from '../../scripts/vscode-host.ts';
import { DEMO_USER, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { type Editor, openOwnEditor } from '../support/host/installation.ts';
import { temporaryFolder } from '../support/serverProcess.ts';
import { countErrors, errorSender } from './errorSender.ts';
import { showSearch, untilPainted } from './firstRow.ts';
import { checkSameWork, type Limit, median, pairAt, type Ratio, ratio, rounded, roundsUntilSure } from './harness.ts';
import { sharesSinceNow, untilQuiet } from './processes.ts';
import { type SlowExtension, slowExtension, slowness } from './slowness.ts';

const ROW_LIMIT: Limit = { atMost: 1.5 };
/** Milliseconds of the extension host for each key, as a share of a frame of the screen (16 ms). */
const SEARCH_LIMIT: Limit = { atMost: 1 };
const FRAME = 16;
const MAX_ROUNDS = 41;
const WARM_UP = 2;
const ERRORS = 10_000;
/** Requests that are sent at the same time while the errors are created. */
const SENDERS = 16;
const FULL = 'Billing';
const EMPTY = 'Harbour Desk';
const EXTENSION_HOST = /--type=extensionHost/;
const VIEW = 'Tracked Errors';
const TEXT = 'pump 77';
/** Time between two keys, in milliseconds: 300 characters a minute. */
const PAUSE = 200;

/**
 * Measures the Tracked Errors view of a project with 10,000 errors in a real VS Code: the time from the click on the icon until the first
 * error is painted, compared with the text of a project without errors; and what typing in the search costs the extension host.
 */
export async function errors(): Promise<readonly Ratio[]> {
  prepare('current', console.log);
  const platform = await startPlatform();
  try {
    const send = await errorSender(platform, FULL);
    await errorSender(platform, EMPTY);
    let sent = 0;
    const sender = async (): Promise<void> => {
      while (sent < ERRORS) {
        sent += 1;
        await send(eventOf(sent));
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    checkSameWork('errors sent and stored', ERRORS, await countErrors(platform, FULL));
    checkSameWork('errors of the empty project', 0, await countErrors(platform, EMPTY));
    using folder = temporaryFolder();
    const extension = slowExtension(folder.path, slowness(0), slowness(1));
    const editor = await openOwnEditor({
      userSettings: { 'signalbox.instances': [{ url: platform.origin }] },
      nodeArguments: extension.nodeArguments,
    });
    try {
      const { workbench, context } = editor;
      await selectInstance(workbench, platform.label);
      await signInAs(workbench, context, platform, DEMO_USER.username);
      await workbench.untilSaved(/"auth\.sessions":\[[^\]]*"http:\/\//);
      return [await firstError(editor, extension), await search(editor, extension)];
    } finally {
      await editor.close();
    }
  } finally {
    await platform.close();
  }
}

async function firstError({ workbench }: Editor, { slow }: SlowExtension): Promise<Ratio> {
  const opening = async (project: string, selector: string): Promise<number> => {
    await selectProject(workbench, project);
    await showSearch(workbench);
    await workbench.reload();
    await workbench.untilStatus('signalbox.status', (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
    return untilPainted(workbench.page, selector, VIEW);
  };
  // The view stays open from now on.
  await workbench.openView(VIEW);
  const times: { readonly full: number; readonly empty: number }[] = [];
  const pair = async (index: number): Promise<number> => {
    const openFull = (): Promise<number> => opening(FULL, '.monaco-list-row[aria-label*="PumpFailed"]');
    const openEmpty = (): Promise<number> => opening(EMPTY, '.message');
    const [full, empty] = await pairAt(index, openFull, openEmpty);
    times.push({ full, empty });
    return full / empty;
  };
  for (let index = 0; index < WARM_UP; index += 1) await pair(index);
  slow({ rows: (slowness(0) - 1) * median(times.map((one) => one.full)) });
  times.length = 0;
  const rounds = await roundsUntilSure(ROW_LIMIT, MAX_ROUNDS, pair);
  slow({});
  return ratio(
    'first row of 10,000 stored errors',
    'time from the click to the first painted error of 10,000 / to the text of a project without errors, in a real VS Code',
    rounds,
    ROW_LIMIT,
    {
      fullMilliseconds: rounded(median(times.map((one) => one.full))),
      emptyMilliseconds: rounded(median(times.map((one) => one.empty))),
    },
  );
}

async function search({ workbench }: Editor, { slow }: SlowExtension): Promise<Ratio> {
  await selectProject(workbench, FULL);
  await workbench.openView(VIEW);
  const { keyboard } = workbench.page;
  const measure = async (isTyping: boolean): Promise<number> => {
    await workbench.run('Signalbox: Search Errors…');
    await workbench.page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    await untilQuiet(EXTENSION_HOST);
    const shares = sharesSinceNow(EXTENSION_HOST);
    for (const key of TEXT) {
      if (isTyping) await keyboard.press(key === ' ' ? 'Space' : key);
      await setTimeout(PAUSE);
    }
    if (isTyping) await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: TEXT }).first().waitFor();
    const { ran } = shares();
    await keyboard.press('Escape');
    return ran;
  };
  const times: { readonly typing: number; readonly idle: number }[] = [];
  const pair = async (index: number): Promise<number> => {
    const [typing, idle] = await pairAt(
      index,
      () => measure(true),
      () => measure(false),
    );
    times.push({ typing, idle });
    return (typing - idle) / TEXT.length / FRAME;
  };
  for (let index = 0; index < WARM_UP; index += 1) await pair(index);
  slow({ keys: (slowness(1) - 1) * median(times.map(({ typing, idle }) => (typing - idle) / TEXT.length)) });
  times.length = 0;
  const rounds = await roundsUntilSure(SEARCH_LIMIT, MAX_ROUNDS, pair);
  return ratio(
    'typing in the search of 10,000 errors',
    'processor time of the extension host for each key above an idle window / 16 ms, in a real VS Code',
    rounds,
    SEARCH_LIMIT,
    {
      typingMilliseconds: rounded(median(times.map(({ typing }) => typing))),
      idleMilliseconds: rounded(median(times.map(({ idle }) => idle))),
    },
  );
}

async function selectProject(workbench: Editor['workbench'], project: string): Promise<void> {
  await workbench.run('Signalbox: Select Project…');
  await workbench.choose(project);
  await workbench.untilSaved(new RegExp(`activity\\.project/.*${project.toLowerCase().replace(' ', '-')}`));
}

function eventOf(number: number): object {
  return {
    platform: 'node',
    release: `pumps@1.${number % 40}.0`,
    exception: {
      values: [
        {
          type: `PumpFailed${number}`,
          value: `pump ${number} has no pressure`,
          stacktrace: {
            frames: [{ filename: `/app/pumps/${number}.js`, function: `run${number}`, lineno: 7, in_app: true }],
          },
        },
      ],
    },
  };
}
