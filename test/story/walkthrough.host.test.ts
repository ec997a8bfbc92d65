import assert from 'node:assert/strict';
import { DEMO_USER } from '../support/host/platform.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
const STEPS = ['Choose an instance', 'Sign in', 'Follow the activity', 'Connect your own tools'] as const;

describe('the walkthrough', () => {
  let editor: Editor;
  let workbench: Workbench;
  before(async () => {
    // With motion, VS Code focuses an opened step a moment later, and takes the focus from the choice list that a button opens.
    editor = await openEditor({ userSettings: { 'workbench.welcomePage.preferReducedMotion': true } });
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('the walkthrough opens from the view, and marks each step as done', async () => {
    const mine = await workbench.openView('My Activity');
    await mine.untilWelcome((text) => text.includes('Start Local Server'), 'server stopped');
    await mine.clickWelcomeLink('Open the walkthrough');
    const walkthrough = workbench.walkthrough();
    await walkthrough.untilDone(STEPS, [false, false, false, false]);

    await walkthrough.openStep(STEPS[0]);
    await walkthrough.clickButton('Start Local Server');
    await walkthrough.untilDone(STEPS, [true, false, false, false]);

    await walkthrough.openStep(STEPS[1]);
    await walkthrough.clickButton('Sign In as Demo User…');
    await workbench.choose(DEMO_USER.name);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
    await walkthrough.untilDone(STEPS, [true, true, false, false]);

    const [event] = (await mine.untilRows((rows) => rows.some(({ level }) => level === 2), 'events')).filter(
      ({ level }) => level === 2,
    );
    assert.ok(event !== undefined);
    // The message above the rows moves them down when it appears.
    await until(mine.message, (text) => text !== '', 'message above the events');
    await mine.clickRow(event.label);
    // A document that opens later would cover the walkthrough.
    await workbench.page.locator('.tab.active[aria-label*=".md"]').waitFor();
    await workbench.run('Signalbox: Open Walkthrough');
    await walkthrough.untilDone(STEPS, [true, true, true, false]);

    await walkthrough.openStep(STEPS[3]);
    await walkthrough.clickButton('Open Terminal for This Instance');
    await workbench.page.locator('.terminal-wrapper.active .xterm-screen').waitFor();
    await walkthrough.untilDone(STEPS, [true, true, true, true]);
    assert.deepEqual(await workbench.toasts(), []);
    await workbench.run('Signalbox: Stop Local Server');
    await workbench.untilStatus(STATUS, (text) => text.includes('stopped'), 'server stopped');
  });
});
