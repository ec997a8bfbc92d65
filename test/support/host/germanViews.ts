// The views as users of VS Code in German see them. Each check begins with a new user whose local server is stopped.
import assert from 'node:assert/strict';
import { until } from '../until.ts';
import { sendError } from '../sentErrors.ts';
import { colleagueOf } from './colleague.ts';
import { picture, pictures } from './pictures.ts';
import { DEMO_USER, tokenByDevicePage } from './platform.ts';
import { type Editor, openEditor, screenshotsOfFailure } from './vscode.ts';
import { openedTab, THEME_SETTINGS, type Workbench } from './workbench.ts';

/** Id of the status bar entry. */
const STATUS = 'signalbox.status';
/** A project of the demo user with demo errors. */
const PROJECT = { path: 'amara/berth-api', name: 'Berth API' } as const;
/** German verbs of the feed rows. None of them occurs in the demo data. */
const GERMAN =
  / (?:geöffnet|geschlossen|kommentiert|zusammengeführt|gepusht|erstellt|gelöscht|genehmigt|aktualisiert|entfernt)(?:: |$)|beigetreten$|verlassen$/;
const ENGLISH = /^(?:Opened|Closed|Reopened|Commented|Merged|Joined|Left|Created|Deleted|Pushed)\b|, by |\b(?:Today|Yesterday)\b/;

export interface GermanView {
  /** Title of the test. */
  readonly title: string;
  check(editor: Editor): Promise<void>;
}

export const germanViews: readonly GermanView[] = [
  {
    title: 'a user whose VS Code is in German sees German titles, welcome texts, commands, lists, rows and status bar entries',
    async check({ workbench }) {
      assert.equal(await workbench.page.evaluate(() => Reflect.get(globalThis, '_VSCODE_NLS_LANGUAGE')), 'de');
      const project = await workbench.openView('Projektaktivität');
      await project.untilWelcome((text) => text.startsWith('Hier erscheint die Aktivität'), 'of the project');
      const mine = await workbench.openView('Meine Aktivität');
      const welcome = await mine.untilWelcome((text) => text.includes('eine kleine Instanz auf diesem Computer'), 'local server');
      assert.match(welcome, /\nLokalen Server starten\n.*\nInstanz auswählen…/s);
      await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: beendet', 'the server is stopped');

      await workbench.run('Signalbox: Lokalen Server starten');
      await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: abgemeldet', 'signed out');
      await mine.untilWelcome((text) => text.includes('Melden Sie sich mit Ihrem Browser'), 'offers to sign in');
      await mine.clickWelcomeButton('Anmelden');
      assert.deepEqual(await workbench.choices(), [
        'Mit einem Code anmelden',
        'Code in einem Browser auf diesem oder einem anderen Gerät genehmigen',
        'Mit dem Browser anmelden',
        'In einem Browser auf diesem Gerät genehmigen, der dann zum Editor zurückführt',
        'Als Demobenutzer anmelden',
        'Benutzer des lokalen Servers auswählen (ohne Kennwort)',
        'Mit einem Zugriffstoken anmelden',
        'Ein persönliches Zugriffstoken mit dem Bereich api oder read_api eingeben',
      ]);
      await workbench.choose('Als Demobenutzer anmelden');
      await workbench.choose(DEMO_USER.name);
      await workbench.untilStatus(
        STATUS,
        (text, spoken) => text.includes(`@${DEMO_USER.username}`) && spoken.includes('Verwalteter Server: Angemeldet als '),
        'signed in',
      );

      const rows = await mine.untilRows((all) => all.filter(({ level }) => level === 2).length >= 10, 'the feed');
      for (const { label, name, level } of rows.filter(({ icon }) => icon !== 'ellipsis')) {
        if (level === 2) assert.match(label, GERMAN);
        assert.doesNotMatch(name, ENGLISH, name);
      }
      await workbench.run('Signalbox: Aktivität in allen meinen Projekten anzeigen');
      const all = workbench.view('Aktivität in allen meinen Projekten');
      await all.untilRow(({ label }) => /^@\w+ hat /.test(label), 'activity of others');

      await workbench.run('Signalbox: Aktivität filtern…');
      // Rows that the editor reuses may still contain the second line of the previous palette, which is a command's English name.
      const parts = (await workbench.choices()).filter((label) => !label.startsWith('Signalbox: '));
      assert.deepEqual(parts, ['Aktion', 'Typ', 'Zeitraum', 'Text']);
      await workbench.choose('Zeitraum');
      await workbench.choose('letzte 7 Tage');
      await until(
        () => all.pane.locator('.pane-header .description').innerText(),
        (text) => text.startsWith('alle meine Projekte · Verwalteter Server · letzte 7 Tage'),
        'the scope of the list',
      );
      assert.deepEqual(await workbench.toasts(), []);
    },
  },
  {
    title: 'client keys in German are rotated with the keyboard',
    async check({ workbench }) {
      await startInGerman(workbench);
      const { id: first } = await createKey(workbench);
      await workbench.run('Signalbox: Clientschlüssel austauschen…');
      await chooseProject(workbench);
      await workbench.choose(`Clientschlüssel ${first}`);
      const input = workbench.page.locator('.quick-input-widget input.input');
      await until(
        () => input.getAttribute('placeholder'),
        (text) => text?.endsWith('Warten auf die erste Verwendung…') === true,
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
    },
  },
  {
    title: 'new errors in German are named in a message, merged, and resolved together',
    async check({ workbench }) {
      await startInGerman(workbench);
      const view = await workbench.openView('Verfolgte Fehler');
      for (const title of ['Meine Aktivität', 'Projektaktivität']) await workbench.view(title).collapse();
      await workbench.run('Signalbox: Projekt auswählen…');
      await workbench.choose(PROJECT.name);
      await view.untilRows((rows) => rows.some(({ description }) => / Ereignisse? · /.test(description)), 'errors');
      const { dsn } = await createKey(workbench);
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
    },
  },
  {
    title: 'a mention and its explanation are shown in German',
    async check({ context, workbench }) {
      await startInGerman(workbench);
      const tab = await openedTab(context, workbench, () => workbench.run('Signalbox: OAuth-Abläufe im Browser öffnen'));
      const { origin } = new URL(tab.url());
      const adminToken = await tokenByDevicePage(tab, origin);
      await tab.close();
      await workbench.page.bringToFront();
      const colleague = await colleagueOf({ origin, adminToken });
      const mailbox = await workbench.openView('Postfach');
      await colleague.readAll();
      await until(workbench.badge, (text) => text === '', 'nothing unread');
      await colleague.mention('Guten Morgen.');
      const { label, name } = await mailbox.untilRow(
        ({ description }) => description.startsWith('● · erwähnt · '),
        'the mention',
      );
      assert.match(name, /^Ungelesen, .*, von .*, erwähnt, Heute /);
      assert.match(await until(workbench.badge, (text) => text !== '', 'the badge'), /1 ungelesene E-Mail/);
      await mailbox.chooseFromRowMenu(label, 'Warum habe ich diese E-Mail bekommen?');
      const lines = await until(
        workbench.visibleLines,
        (all) =>
          all[0] === '# Warum habe ich eine E-Mail bekommen?' && all.some((line) => line.startsWith('## Was das nächste Mal')),
        'the explanation',
      );
      assert.equal(lines[2], '**Sie haben eine E-Mail bekommen, weil Sie erwähnt wurden.**');
      assert.ok(lines.includes('- Ereignis: Neuer Kommentar'), lines.join('\n'));
      assert.doesNotMatch(lines.join('\n'), /\b(?:You|The|level|mailed)\b/);
      // A message says as whom the page was opened.
      assert.deepEqual(
        (await workbench.toasts()).filter(({ severity }) => severity !== 'info'),
        [],
      );
    },
  },
  {
    title: 'a user whose VS Code is in German sees German levels, sources, events and profiles',
    async check({ workbench }) {
      const view = await workbench.openView('Benachrichtigungen');
      await view.untilWelcome(
        (text) => text.startsWith('Hier erscheinen Ihre Benachrichtigungseinstellungen'),
        'the server is stopped',
      );
      await workbench.run('Signalbox: Lokalen Server starten');
      await view.untilWelcome((text) => text.includes('Melden Sie sich dazu an'), 'signed out');
      await workbench.run('Signalbox: Als Demobenutzer anmelden…');
      await workbench.choose(DEMO_USER.name);
      await workbench.widenSideBar(560);
      await workbench.view('Meine Aktivität').collapse();
      await workbench.view('Projektaktivität').collapse();
      await view.untilRow(({ label }) => label === 'Tidemark', 'groups');
      await view.clickRowAction('Global', 'Benachrichtigungsstufe festlegen…');
      await workbench.choose('Beobachten');
      await view.untilRow(({ label, description }) => label === 'Global' && description.startsWith('Beobachten'), 'the level');
      await view.toggleRow('Global');
      await view.untilRow(({ label, description }) => label === 'Neuer Kommentar' && description === 'Ein', 'an event');
      await workbench.run('Signalbox: Befristetes Benachrichtigungsprofil starten…');
      await workbench.choose('Nur Erwähnungen');
      await workbench.choose('1 Stunde lang');
      await workbench.untilStatus(
        'signalbox.notificationProfile',
        (text) => text.startsWith('Nur Erwähnungen bis '),
        'the profile',
      );
      await pictures(workbench, 'notifications-german');
      await workbench.run('Signalbox: Befristetes Benachrichtigungsprofil beenden');
      await view.untilRow(({ label, description }) => label === 'Global' && description.startsWith('Beobachten'), 'restored');
      assert.deepEqual(await workbench.toasts(), []);
    },
  },
];

/** Declares the tests of views in German. */
export function describeInGerman(views: readonly GermanView[]): void {
  describe('VS Code in German', () => {
    let editor: Editor;
    beforeEach(async () => {
      editor = await openEditor({
        language: 'de',
        userSettings: {
          ...THEME_SETTINGS,
          'signalbox.errorTracking.newErrors': 'notify',
          // Shows each line of a document as one line.
          '[markdown]': { 'editor.wordWrap': 'off' },
        },
      });
    });
    afterEach(screenshotsOfFailure(() => editor));
    afterEach(async () => {
      await editor?.close();
    });

    for (const { title, check } of views) it(title, () => check(editor));
  });
}

/** Starts the local server, and signs in to it as the demo user. */
async function startInGerman(workbench: Workbench): Promise<void> {
  await workbench.openContainer();
  await workbench.run('Signalbox: Lokalen Server starten');
  await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: abgemeldet', 'signed out');
  await workbench.run('Signalbox: Als Demobenutzer anmelden…');
  await workbench.choose(DEMO_USER.name);
  await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
}

async function createKey(workbench: Workbench): Promise<{ readonly id: string; readonly dsn: string }> {
  await workbench.setClipboard('');
  await workbench.run('Signalbox: Clientschlüssel erstellen…');
  await chooseProject(workbench);
  const { message } = await workbench.untilToast((toast) => toast.message.startsWith('Clientschlüssel '), 'created');
  await workbench.clickToast('Clientschlüssel ', 'DSN kopieren');
  const dsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
  await workbench.clear();
  return { id: /\d+/.exec(message)?.[0] ?? '', dsn };
}

/** Selects the project, which lists call by the last part of its path if it is the current one, until the instance has responded. */
async function chooseProject(workbench: Workbench): Promise<void> {
  const isIt = (label: string): boolean => [PROJECT.name, PROJECT.path.split('/')[1]].includes(label);
  const labels = await until(workbench.choices, (all) => all.some(isIt), 'the project');
  await workbench.choose(labels.find(isIt) ?? PROJECT.name);
}
