import assert from 'node:assert/strict';
import { handlerProblems, manifestProblems } from '../../scripts/check-manifest.ts';

const ids = {
  commands: { start: 'signalbox.local.start' },
  views: { activity: 'signalbox.activity' },
  viewsContainers: { signalbox: 'signalbox' },
  settings: { port: 'signalbox.local.port' },
  contextKeys: { signedIn: 'signalbox.signedIn' },
  authenticationProviders: { signalbox: 'signalbox' },
  customEditors: { document: 'signalbox.document' },
  languageModelTools: { list: 'signalbox_list' },
  walkthroughs: { start: 'start' },
};
const texts = { 'package.nls.json': { start: 'Start', welcome: '[Start](command:signalbox.local.start)' } };
const contributes = {
  commands: [{ command: 'signalbox.local.start', title: '%start%', category: 'Signalbox', enablement: '!signalbox.signedIn' }],
  viewsContainers: { activitybar: [{ id: 'signalbox' }] },
  views: { signalbox: [{ id: 'signalbox.activity', when: 'config.signalbox.local.port && viewItem =~ /^(a|signalbox.b)$/' }] },
  viewsWelcome: [{ view: 'signalbox.activity', contents: '%welcome%', when: '!signalbox.signedIn' }],
  menus: {
    'view/title': [{ command: 'signalbox.local.start', when: "view == signalbox.activity && (signalbox.signedIn || x != 'y')" }],
  },
  configuration: { properties: { 'signalbox.local.port': { type: 'number' } } },
  authentication: [{ id: 'signalbox' }],
  customEditors: [{ viewType: 'signalbox.document' }],
  languageModelTools: [{ name: 'signalbox_list' }],
  walkthroughs: [{ id: 'start', steps: [{ completionEvents: ['onContext:signalbox.signedIn == true'] }] }],
};

const problems = (changed: object, changedIds: object = {}, changedTexts: object = {}) =>
  manifestProblems(
    { contributes: { ...contributes, ...changed } },
    { 'package.nls.json': { ...texts['package.nls.json'], ...changedTexts } },
    { ...ids, ...changedIds },
  );

describe('the check of package.json against ids.ts', () => {
  it('reports nothing if both agree', () => {
    assert.deepEqual(problems({}), []);
  });

  const stray = 'is in package.json and not in src/ids.ts';
  const absent = 'is in src/ids.ts and not in package.json';
  const cases: readonly [title: string, found: readonly string[], expected: string][] = [
    [
      'a command without id',
      problems({ commands: [...contributes.commands, { command: 'signalbox.x', title: 'X', category: 'Signalbox' }] }),
      `command signalbox.x ${stray}`,
    ],
    [
      'an id without command',
      problems({}, { commands: { ...ids.commands, stop: 'signalbox.local.stop' } }),
      `command signalbox.local.stop ${absent}`,
    ],
    ['an id without view', problems({}, { views: { ...ids.views, keys: 'signalbox.keys' } }), `view signalbox.keys ${absent}`],
    ['a view without id', problems({ views: { signalbox: [{ id: 'signalbox.keys' }] } }), `view signalbox.keys ${stray}`],
    [
      'a container without id',
      problems({ viewsContainers: { panel: [{ id: 'signalbox-more' }, { id: 'signalbox' }] } }),
      `view container signalbox-more ${stray}`,
    ],
    [
      'a setting without id',
      problems({ configuration: [contributes.configuration, { properties: { 'signalbox.log': {} } }] }),
      `setting signalbox.log ${stray}`,
    ],
    ['an id without setting', problems({ configuration: [] }), `setting signalbox.local.port ${absent}`],
    [
      'a context key without id',
      problems({ submenus: [{ when: 'a || !(signalbox.online)' }] }),
      `context key signalbox.online ${stray}`,
    ],
    [
      'an id without context key',
      problems({}, { contextKeys: { ...ids.contextKeys, online: 'signalbox.online' } }),
      `context key signalbox.online ${absent}`,
    ],
    [
      'an authentication provider without id',
      problems({ authentication: [{ id: 'signalbox' }, { id: 'signalbox-two' }] }),
      `authentication provider signalbox-two ${stray}`,
    ],
    ['an id without custom editor', problems({ customEditors: [] }), `custom editor signalbox.document ${absent}`],
    ['an id without language model tool', problems({ languageModelTools: [] }), `language model tool signalbox_list ${absent}`],
    ['an id without walkthrough', problems({ walkthroughs: [] }), `walkthrough start ${absent}`],
    [
      'a walkthrough that waits for an unknown context key',
      problems({ walkthroughs: [{ id: 'start', steps: [{ completionEvents: ['onContext:signalbox.online =~ /x/'] }] }] }),
      `context key signalbox.online ${stray}`,
    ],
    [
      'a walkthrough that waits for an unknown command',
      problems({ walkthroughs: [{ id: 'start', steps: [{ completionEvents: ['onCommand:signalbox.gone'] }] }] }),
      `command signalbox.gone ${stray}`,
    ],
    [
      'an id that is not ours',
      problems({}, { commands: { ...ids.commands, open: 'box.open' } }),
      'command box.open does not start with "signalbox"',
    ],
    [
      'a menu of an unknown command',
      problems({ menus: { commandPalette: [{ command: 'signalbox.gone' }] } }),
      `command signalbox.gone ${stray}`,
    ],
    [
      'a welcome text that links an unknown command',
      problems({}, {}, { welcome: '[Go](command:signalbox.gone)' }),
      `command signalbox.gone ${stray}`,
    ],
    [
      'a clause about an unknown view',
      problems({ keybindings: [{ when: 'view == signalbox.gone' }] }),
      `view signalbox.gone ${stray}`,
    ],
    [
      'a clause about an unknown setting',
      problems({ keybindings: [{ when: 'config.signalbox.gone' }] }),
      `setting signalbox.gone ${stray}`,
    ],
    [
      'a command of no category',
      problems({ commands: [{ command: 'signalbox.local.start', title: '%start%' }] }),
      'command signalbox.local.start: category is not "Signalbox"',
    ],
    [
      'a command of no title',
      problems({ commands: [{ command: 'signalbox.local.start', category: 'Signalbox' }] }),
      'command signalbox.local.start: no title',
    ],
    ['a text that is missing', problems({ submenus: [{ label: '%more%' }] }), 'package.nls.json: no text for %more%'],
    ['a text that is not used', problems({}, {}, { old: 'Old' }), 'package.nls.json: package.json does not use old'],
  ];
  for (const [title, found, expected] of cases) {
    it(`reports ${title}`, () => {
      assert.ok(found.includes(expected), found.join('\n') || 'found nothing');
    });
  }
});

describe('the check of the handlers of commands', () => {
  const commands = { start: 'signalbox.local.start', openGroup: 'signalbox.groups.open' };
  const sources = {
    'src/local/commands.ts': 'return { [commands.start]: start };',
    'src/projects/commands.ts': 'return { [commands.openGroup]: open };',
  };

  it('reports nothing if each is in commands.ts of its feature', () => {
    assert.deepEqual(handlerProblems(commands, sources), []);
  });

  it('reports a command without handler', () => {
    assert.deepEqual(handlerProblems(commands, { ...sources, 'src/local/commands.ts': '' }), [
      'command signalbox.local.start has no handler in src/local/commands.ts',
    ]);
  });

  it('reports a handler in another file', () => {
    const elsewhere = { 'src/local/commands.ts': '', 'src/local/view.ts': sources['src/local/commands.ts'] };
    assert.deepEqual(handlerProblems(commands, { ...sources, ...elsewhere }), [
      'command signalbox.local.start has no handler in src/local/commands.ts',
      'command signalbox.local.start has a handler in src/local/view.ts instead of src/local/commands.ts',
    ]);
  });
});
