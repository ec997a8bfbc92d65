import assert from 'node:assert/strict';
import { DEMO_USER } from '../support/host/platform.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { until } from '../support/until.ts';

/** Id of the status bar entry. */
const STATUS = 'signalbox.status';
/** German verbs of the feed rows. None of them occurs in the demo data. */
const GERMAN =
  / (?:geöffnet|geschlossen|kommentiert|zusammengeführt|gepusht|erstellt|gelöscht|genehmigt|aktualisiert|entfernt)(?:: |$)|beigetreten$|verlassen$/;
const ENGLISH = /^(?:Opened|Closed|Reopened|Commented|Merged|Joined|Left|Created|Deleted|Pushed)\b|, by |\b(?:Today|Yesterday)\b/;

describe('a user whose VS Code is in German', () => {
  let editor: Editor;
  before(async () => {
    editor = await openEditor({ language: 'de' });
  });
  after(async () => {
    await editor?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a user whose VS Code is in German sees German titles, welcome texts, commands, lists, rows and status bar entries', async () => {
    const { workbench } = editor;
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
      (text, spoken) => text.includes(`@${DEMO_USER.username}`) && spoken.includes('Lokaler Server: Angemeldet als '),
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
      (text) => text.startsWith('alle meine Projekte · Lokaler Server · letzte 7 Tage'),
      'the scope of the list',
    );
    assert.deepEqual(await workbench.toasts(), []);
  });
});
