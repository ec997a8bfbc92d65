import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { StorageUsage } from '../../../server/features/storageMoves/usage.ts';
import { testEnvironment } from '../../support/environment.ts';
import { ask, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { createProject, setStepSeconds, STORAGES, storageOptions } from '../../support/host/storages.ts';
import { start } from '../../support/host/suite/extension.ts';
import { startBehindFront } from '../../support/host/suite/front.ts';
import { signInAs } from '../../support/host/suite/signIn.ts';
import type { Row, View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const PROJECT = 'amara/berth-api';
/** Pause before the first step of a move in seconds. The token of the sign-in is valid for longer. */
const STEP = 3600;

describe('the storages of an instance', () => {
  let home: string;
  let platform: RunningPlatform;
  let storages: View;
  before(async () => {
    home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-storages-'));
    platform = await startPlatform('demo', storageOptions(home), path.join(home, 'data'));
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, 'root');
    storages = await workbench.openView('Storages');
  });
  after(async () => {
    await platform?.close();
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(async () => {
    await workbench.clear();
  });

  it('everything on a storage moves while its progress is watched, and a push is refused until its project has moved', async () => {
    await setStepSeconds(platform, STEP);
    const clone = cloneOf(PROJECT);
    const { projects, snippets, groups } = await usageOf('default');
    assert.ok(projects > 3 && snippets > 1 && groups > 1);
    const everything = `${projects} projects, ${snippets} snippets, and ${groups} groups`;
    const total = projects + snippets + groups;
    await refresh();
    await storages.untilRow(
      (row) => row.label === 'default' && row.description.startsWith(`${projects} projects`),
      'the storage',
    );
    await storages.untilRow((row) => row.label === 'archive' && row.description === '0 projects', 'the empty storage');

    await storages.chooseFromRowMenu('default', 'Move All Repositories of a Storage…');
    assert.deepEqual(await workbench.choices(), [...STORAGES, 'Select by weight']);
    await workbench.choose('archive');
    const asked = await workbench.dialog('from default');
    assert.equal(asked.message, `Move ${everything} from default to archive?`);
    assert.match(asked.detail, /^Each repository is read-only while it moves\./);
    await workbench.clickDialogButton('Move');
    await workbench.untilProgress((title) => title.startsWith('Moving the repositories of default'), 'the moves');
    await storages.untilRow(isMoving(total), 'everything is moving');
    const refused = push(clone);
    assert.notEqual(refused.status, 0);
    assert.match(refused.stderr, /The repository is temporarily read-only\. Please try again later\./);
    await expand('default');
    await storages.untilRow(({ description }) => description.endsWith('scheduled · to archive'), 'the moves');
    await storages.chooseFromRowMenu('default', 'Is the Storage Empty?');
    const left = await workbench.untilToast(({ message }) => message.startsWith('Still on default'), 'the check');
    assert.match(left.message, new RegExp(`: ${everything}\\. Projects: .*, …\\. Running moves: ${total}\\.$`));

    // The first step is due after the pause, and the others follow at once.
    await setStepSeconds(platform, 0);
    await platform.advance(STEP);
    await workbench.untilToast(({ message }) => message === `Moved from default: ${everything}.`, 'the end of the moves');
    await storages.untilRow((row) => row.label === 'archive' && row.description === `${projects} projects`, 'the full storage');
    await storages.untilRow((row) => row.label === 'default' && row.description.startsWith('0 projects'), 'the empty storage');
    assert.partialDeepStrictEqual(await usageOf('archive'), { projects, snippets, groups });
    const accepted = push(clone);
    assert.equal(accepted.status, 0, accepted.stderr);
    await workbench.clear();
    await storages.chooseFromRowMenu('default', 'Is the Storage Empty?');
    await workbench.untilToast(
      ({ message }) => message === 'Nothing is left on default, and all recent moves have finished.',
      'the check',
    );
  });

  it('one project moves from the menu of its storage', async () => {
    await setStepSeconds(platform, 0);
    const project = await createProject(platform, 'Buoy lights');
    await storages.chooseFromRowMenu('default', 'Move Project to Another Storage…');
    await workbench.search('buoy', 'Buoy lights');
    assert.deepEqual(await workbench.choices(), [...STORAGES, 'Select by weight']);
    await workbench.choose('attic');
    await workbench.untilToast(({ message }) => message === `${project} is now on attic.`, 'the end of the move');
    await storages.untilRow((row) => row.label === 'attic' && row.description === '1 project', 'the new storage');
    await expand('default');
    await storages.untilRow((row) => row.label === project && row.description === 'moved · to attic', 'the move');
  });

  it('a project that is selected from the palette moves to a storage that it is not on', async () => {
    await setStepSeconds(platform, 0);
    const project = await createProject(platform, 'Tide bells');
    const move = async (offered: readonly string[], destination: string): Promise<void> => {
      await workbench.run('Signalbox: Move Project to Another Storage…');
      await workbench.search('tide b', 'Tide bells');
      await until(workbench.choices, (labels) => labels.join() === [...offered, 'Select by weight'].join(), 'the other storages');
      await workbench.choose(destination);
      await workbench.untilToast(
        ({ message }) => message.includes(`${project} is now on ${destination}.`),
        'the end of the move',
      );
      await workbench.clear();
    };
    const { bytes } = await usageOf('attic');
    await move(STORAGES, 'attic');
    assert.ok((await usageOf('attic')).bytes > bytes, 'the size is read again after a move');
    await move(['archive', 'default', 'shed'], 'default');
  });

  it('a failed move shows its reason, and is retried until it has succeeded', async () => {
    await setStepSeconds(platform, 0);
    const project = await createProject(platform, 'Fog horns');
    // A file is where the folders of the destination have to be.
    const obstacle = path.join(home, 'shed', '@hashed');
    mkdirSync(path.dirname(obstacle), { recursive: true });
    writeFileSync(obstacle, '');
    const failure = new RegExp(`^The move of ${project} to shed failed: E\\w+: `);
    await storages.chooseFromRowMenu('default', 'Move Project to Another Storage…');
    await workbench.search('fog', 'Fog horns');
    await workbench.choose('shed');
    await workbench.untilToast(({ message, severity }) => severity === 'warning' && failure.test(message), 'the failure');
    await expand('default');
    await storages.untilRow(
      ({ label, description }) => label === project && /^failed · to shed · E\w+: /.test(description),
      'the failed move',
    );

    await workbench.clickToast(`The move of ${project}`, 'Retry');
    await until(
      () => movesOf(project),
      (states) => states.join() === 'failed,failed',
      'the second failure',
    );
    await workbench.untilToast(({ message, severity }) => severity === 'warning' && failure.test(message), 'the second failure');
    await workbench.clear();
    rmSync(obstacle);
    await storages.chooseFromRowMenu(project, 'Retry Failed Moves');
    await workbench.untilToast(({ message }) => message === `${project} is now on shed.`, 'the end of the move');
    await storages.untilRow((row) => row.label === project && row.description === 'moved · to shed', 'the move');
    assert.deepEqual(await movesOf(project), ['finished', 'failed', 'failed']);
  });

  it('dismissing the confirmation starts no move', async () => {
    const project = await createProject(platform, 'Harbor bells');
    const before = await usageOf('default');
    await storages.chooseFromRowMenu('default', 'Move All Repositories of a Storage…');
    await workbench.choose('archive');
    const { buttons } = await workbench.dialog('from default');
    assert.deepEqual(buttons, ['Move']);
    await workbench.cancelDialog();
    // The answer to the next command comes after everything that the previous one could have started.
    await storages.chooseFromRowMenu('default', 'Is the Storage Empty?');
    const { message } = await workbench.untilToast((toast) => toast.message.startsWith('Still on default'), 'the check');
    assert.doesNotMatch(message, /Running moves/);
    assert.deepEqual(await usageOf('default'), { ...before, bytes: (await usageOf('default')).bytes });
    assert.deepEqual(await movesOf(project), []);
  });

  /** Expands the row of a storage. */
  async function expand(label: string): Promise<void> {
    const { expanded } = await storages.untilRow((row) => row.label === label, label);
    if (expanded === false) await storages.toggleRow(label);
  }

  function refresh(): Promise<void> {
    return workbench.run('Signalbox: Refresh Storages');
  }

  /** Returns the states of the moves of a project, newest first. */
  async function movesOf(project: string): Promise<readonly string[]> {
    const moves = await ask(platform, 'GET', `/api/v4/projects/${encodeURIComponent(project)}/repository_storage_moves`);
    return (moves as { readonly state: string }[]).map(({ state }) => state);
  }

  async function usageOf(storage: string): Promise<StorageUsage> {
    const usage = ((await ask(platform, 'GET', '/_local/storages')) as StorageUsage[]).find(({ name }) => name === storage);
    assert.ok(usage !== undefined);
    return usage;
  }

  function isMoving(count: number): (row: Row) => boolean {
    return ({ label, description }) => label === 'default' && description.includes(` · ${count} moving`);
  }

  function cloneOf(project: string): string {
    const clone = path.join(home, 'clone');
    const { status, stderr } = git(home, 'clone', `${platform.origin}/${project}.git`, clone);
    assert.equal(status, 0, stderr);
    return clone;
  }

  /** Commits a change to a new branch and pushes it. */
  function push(clone: string) {
    appendFileSync(path.join(clone, 'log.txt'), 'A line.\n');
    git(clone, 'checkout', '-B', 'log');
    git(clone, 'add', '.');
    git(clone, 'commit', '-m', 'Write the log');
    return git(clone, 'push', 'origin', 'log');
  }

  function git(cwd: string, ...args: readonly string[]) {
    const credentials = Buffer.from(`oauth2:${platform.adminToken}`).toString('base64');
    const settings = {
      GIT_CONFIG_GLOBAL: path.join(home, 'gitconfig'),
      GIT_CONFIG_COUNT: '3',
      GIT_CONFIG_KEY_0: 'http.extraHeader',
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${credentials}`,
      GIT_CONFIG_KEY_1: 'user.name',
      GIT_CONFIG_VALUE_1: 'Root',
      GIT_CONFIG_KEY_2: 'user.email',
      GIT_CONFIG_VALUE_2: 'root@example.com',
    };
    return spawnSync('git', args, { cwd, encoding: 'utf8', env: testEnvironment(['git'], settings) });
  }
});

describe('the storages of an instance that creates moves later than it responds', () => {
  let home: string;
  let platform: RunningPlatform;
  /** Number of further lists of moves that are empty; undefined before the moves are requested. */
  let empty: number | undefined;
  before(async () => {
    home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-storages-'));
    const list = /_repository_storage_moves(?:\?|$)/;
    platform = await startBehindFront(
      ({ url = '', method }, response) => {
        if (!list.test(url)) return false;
        if (method === 'POST') empty = 6;
        if (method !== 'GET' || empty === undefined || empty === 0) return false;
        empty -= 1;
        response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
        return true;
      },
      storageOptions(home),
      path.join(home, 'data'),
    );
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, 'root');
  });
  after(async () => {
    await workbench.clear();
    await platform?.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('the storages view shows moves that are created after the first requests for them', async () => {
    await setStepSeconds(platform, STEP);
    const storages = await workbench.openView('Storages');
    await storages.untilRow((row) => row.label === 'default' && / projects/.test(row.description), 'the storage');
    await storages.chooseFromRowMenu('default', 'Move All Repositories of a Storage…');
    await workbench.choose('archive');
    await workbench.dialog('from default');
    await workbench.clickDialogButton('Move');
    await until(
      () => empty,
      (left) => left === 0,
      'requests for moves without one',
    );
    // Without moves, the view would load again after a minute.
    await until(
      storages.rows,
      (rows) => rows.some(({ label, description }) => label === 'default' && / moving\b/.test(description)),
      'moves',
      40_000,
    );
    await setStepSeconds(platform, 0);
    await platform.advance(STEP);
    await workbench.untilToast(({ message }) => message.startsWith('Moved from default: '), 'the end of the moves');
  });
});
