import assert from 'node:assert/strict';
import { sendError } from '../support/host/errorViews.ts';
import { picture } from '../support/host/pictures.ts';
import { DEMO_USER } from '../support/host/platform.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
/** A project of the demo user with demo errors. */
const PROJECT = { path: 'amara/berth-api', name: 'Berth API' } as const;

describe('errors and client keys in German', () => {
  let editor: Editor;
  let workbench: Workbench;
  before(async () => {
    editor = await openEditor({
      language: 'de',
      userSettings: { ...THEME_SETTINGS, 'signalbox.errorTracking.newErrors': 'notify' },
    });
    workbench = editor.workbench;
    await workbench.openContainer();
    await workbench.run('Signalbox: Lokalen Server starten');
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: abgemeldet', 'signed out');
    await workbench.run('Signalbox: Als Demobenutzer anmelden…');
    await workbench.choose(DEMO_USER.name);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
  });
  after(async () => {
    await editor?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    await workbench.clear();
  });

  it('client keys in German are rotated with the keyboard', async () => {
    const { id: first } = await createKey();
    await workbench.run('Signalbox: Clientschlüssel austauschen…');
    await chooseProject();
    await workbench.choose(`Clientschlüssel ${first}`);
    const input = workbench.page.locator('.quick-input-widget input.input');
    await until(
      () => input.getAttribute('placeholder'),
      (text) => text?.endsWith('Warten auf sein erstes Ereignis…') === true,
      'waiting',
    );
    await picture(workbench, 'german-key');
    await workbench.choose('Bestätigen, dass der neue Schlüssel funktioniert');
    await until(
      () => input.getAttribute('placeholder'),
      (text) => text?.startsWith('Sie haben bestätigt') === true,
      'confirmed',
    );
    await workbench.choose(`Alten Clientschlüssel ${first} löschen`);
    const { message: question } = await workbench.dialog('');
    assert.equal(question, `Clientschlüssel ${first} von ${PROJECT.path} löschen?`);
    await workbench.page.keyboard.press('Enter');
    await workbench.untilToast((toast) => toast.message.includes('wurde durch Clientschlüssel'), 'replaced');
  });

  it('new errors in German are named in a message, merged, and resolved together', async () => {
    const view = await workbench.openView('Verfolgte Fehler');
    for (const title of ['Meine Aktivität', 'Projektaktivität']) await workbench.view(title).collapse();
    await workbench.run('Signalbox: Projekt auswählen…');
    await workbench.choose(PROJECT.name);
    await view.untilRows((rows) => rows.some(({ description }) => / Ereignisse? · /.test(description)), 'errors');
    const { dsn } = await createKey();
    const [fog, tide] = ['NebelBank', 'SturmFlut'];
    const titles = new Map([fog, tide].map((type) => [type, `${type}: an Liegeplatz 7`]));
    const sendOf = (type: string): Promise<void> =>
      sendError(dsn, { type, value: 'an Liegeplatz 7', stacktrace: { frames: [{ filename: `${type}.js`, in_app: true }] } });
    const untilShown = (...types: readonly string[]): Promise<unknown> =>
      view.untilRows(
        (rows) => JSON.stringify(rows.map(({ label }) => label).filter((one) => titles.has(one))) === JSON.stringify(types),
        types.join(', '),
      );
    await sendOf(fog);
    const named = await workbench.untilToast(({ message }) => message.startsWith('Neuer Fehler'), 'the new error');
    assert.equal(named.message, `Neuer Fehler in ${PROJECT.path}: ${titles.get(fog)}`);
    assert.deepEqual(named.buttons, ['Fehler anzeigen', 'Als gelesen markieren']);
    await picture(workbench, 'german-error');
    await workbench.clear();
    await sendOf(tide);
    await untilShown(tide, fog);

    await view.selectRows(fog, tide);
    await view.chooseFromRowMenu(fog, 'Fehler zusammenführen…');
    await workbench.choose(titles.get(tide) ?? '');
    await untilShown(tide);
    await workbench.clickToast(`1 Fehler zusammengeführt mit: ${titles.get(tide)}`, 'Rückgängig machen');
    await untilShown(tide, fog);
    await view.selectRows(fog, tide);
    await view.chooseFromRowMenu(tide, 'Fehler als behoben markieren');
    await workbench.untilToast(({ message }) => message === 'Behoben: 2 Fehler', 'both are resolved');
    await untilShown();
  });

  async function createKey(): Promise<{ readonly id: string; readonly dsn: string }> {
    await workbench.setClipboard('');
    await workbench.run('Signalbox: Clientschlüssel erstellen…');
    await chooseProject();
    const { message } = await workbench.untilToast((toast) => toast.message.startsWith('Clientschlüssel '), 'created');
    await workbench.clickToast('Clientschlüssel ', 'DSN kopieren');
    const dsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
    await workbench.clear();
    return { id: /\d+/.exec(message)?.[0] ?? '', dsn };
  }

  /** Selects the project, which lists call by the last part of its path if it is the current one, until the instance has responded. */
  async function chooseProject(): Promise<void> {
    const isIt = (label: string): boolean => [PROJECT.name, PROJECT.path.split('/')[1]].includes(label);
    const labels = await until(workbench.choices, (all) => all.some(isIt), 'the project');
    await workbench.choose(labels.find(isIt) ?? PROJECT.name);
  }
});
