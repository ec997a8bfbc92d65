import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pictures } from '../support/host/pictures.ts';
import { type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import { THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';

/** Storages besides `default`: for all repositories, for one, and for one whose move fails. */
const STORAGES = ['archive', 'attic', 'shed'] as const;

describe('the storages of an instance', () => {
  let home: string;
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  let storages: View;
  before(async () => {
    home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-storages-'));
    const added = STORAGES.flatMap((name) => ['--storage', `${name}=${path.join(home, name)}`]);
    platform = await startPlatform('demo', added, path.join(home, 'data'));
    editor = await openEditor({
      userSettings: { ...THEME_SETTINGS, 'signalbox.instances': [{ url: platform.origin }] },
    });
    workbench = editor.workbench;
    await selectInstance(workbench, platform.label);
    await signInAs(workbench, editor.context, platform, 'root');
    storages = await workbench.openView('Storages');
    await workbench.widenSideBar(420);
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    await workbench.clear();
    await workbench.stepBack();
  });

  it('one project moves from the menu of its storage', async () => {
    await setStepSeconds(0);
    const project = await createProject('Buoy lights');
    await storages.chooseFromRowMenu('default', 'Move Project to Another Storage…');
    await workbench.search('buoy', 'Buoy lights');
    assert.deepEqual(await workbench.choices(), [...STORAGES, 'Select by weight']);
    await workbench.choose('attic');
    await workbench.untilToast(({ message }) => message === `${project} is now on attic.`, 'the end of the move');
    await storages.untilRow((row) => row.label === 'attic' && row.description === '1 project', 'the new storage');
    await expand('default');
    await storages.untilRow((row) => row.label === project && row.description === 'moved · to attic', 'the move');
    await pictures(workbench, 'storages-moved-one');
  });

  /** Expands the row of a storage. */
  async function expand(label: string): Promise<void> {
    const { expanded } = await storages.untilRow((row) => row.label === label, label);
    if (expanded === false) await storages.toggleRow(label);
  }

  async function send(method: string, target: string, body?: object): Promise<unknown> {
    const response = await fetch(`${platform.origin}${target}`, {
      method,
      headers: { authorization: `Bearer ${platform.adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, text);
    return JSON.parse(text);
  }

  /** Creates a project of root with a commit on the storage `default`, and returns its path. */
  async function createProject(name: string): Promise<string> {
    const created = (await send('POST', '/api/v4/projects', { name })) as { readonly path_with_namespace: string };
    const actions = [{ action: 'create', file_path: 'a.txt', content: 'a' }];
    const commit = { branch: 'main', commit_message: 'Begin', actions };
    await send('POST', `/api/v4/projects/${encodeURIComponent(created.path_with_namespace)}/repository/commits`, commit);
    return created.path_with_namespace;
  }

  async function setStepSeconds(seconds: number): Promise<void> {
    await send('PUT', '/_local/storage-moves', { step_seconds: seconds });
  }
});
