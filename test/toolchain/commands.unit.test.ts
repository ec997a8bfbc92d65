import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { commands, contextKeys, views } from '../../src/ids.ts';
import { startCommands } from '../../src/startCommands.ts';
import { contextOfUnusedWindow } from '../../src/unusedContext.ts';
import { type Context, parseWhen, type WhenClause } from '../support/whenClause.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

interface MenuItem {
  readonly command: string;
  readonly when?: string;
  readonly group?: string;
}

interface CommandContribution {
  readonly command: string;
  readonly title: string;
  readonly category: string;
  readonly icon?: string;
  readonly enablement?: string;
}

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const texts: Readonly<Record<string, string>> = JSON.parse(readFileSync(path.join(ROOT, 'package.nls.json'), 'utf8'));
const contributed: readonly CommandContribution[] = manifest.contributes.commands;
const menus: Readonly<Record<string, readonly MenuItem[]>> = manifest.contributes.menus;

/** Commands that act on one row or one document. */
const itemOnly: readonly string[] = [
  commands.activityLoadMore,
  commands.activityOpen,
  commands.activityOpenChanges,
  commands.activityOpenInBrowser,
  commands.activityCopyLink,
  commands.activityCopyDeepLink,
  commands.activityFilterLikeThis,
  commands.activityOpenSource,
  commands.activityRefreshDocument,
  commands.deprecationsCopyReplacement,
  commands.mailboxDelete,
  commands.mailboxLoadMore,
  commands.mailboxMarkRead,
  commands.mailboxMarkUnread,
  commands.mailboxOpen,
  commands.mailboxOpenInBrowser,
  commands.mailboxShowMessage,
  commands.mailboxShowSource,
  commands.notificationsLoadMore,
  commands.notificationsResetEvent,
  commands.notificationsToggleEvent,
  commands.oauthFlowsCopy,
  commands.signInAgain,
  commands.whyMailedChange,
  commands.whyMailedExplainMail,
  commands.errorTrackingLoadMore,
  commands.errorTrackingOpenFrame,
];

/** Context keys that VS Code sets. */
const ofVsCode = [
  'view',
  'viewItem',
  'focusedView',
  'inputFocus',
  'resourceScheme',
  'activeCustomEditorId',
  'isWorkspaceTrusted',
];

/** VS Code moves further icons into the overflow menu; the tree's own Collapse All is one of them. */
const MAX_ICONS = 4;

const values: Readonly<Record<string, readonly (string | boolean)[]>> = {
  [contextKeys.state]: ['serverStopped', 'serverStarting', 'serverStopping', 'serverFailed', 'signedOut', 'signedIn'],
  [contextKeys.instanceKind]: ['local', 'remote'],
  [contextKeys.hasLocalServer]: [true, false],
  [contextKeys.serverState]: ['stopped', 'starting', 'running', 'attached', 'stopping', 'failed'],
  [contextKeys.activityWhose]: ['mine', 'all', 'person'],
  [contextKeys.activityIsFiltered]: [true, false],
  [contextKeys.activityProjectPin]: ['pinned', 'unpinned', 'none'],
  [contextKeys.notificationsIsSearching]: [true, false],
  [contextKeys.notificationsHasProfile]: [true, false],
  [contextKeys.mailboxIsFiltered]: [true, false],
  isWorkspaceTrusted: [true, false],
};

/** Returns every combination of the context keys on which the title menu of a view and the enablement of its commands depend. */
function statesOf(view: string): readonly Context[] {
  const enablement = new Map(contributed.map(({ command, enablement: clause }) => [command, clause]));
  const items = (menus['view/title'] ?? []).filter(({ when }) => when === undefined || canHoldIn(view, when));
  const keys = new Set(items.flatMap(({ command, when }) => [when, enablement.get(command)]).flatMap(keysOf));
  let all: readonly Context[] = [{}];
  for (const [key, options] of Object.entries(values).filter(([name]) => keys.has(name)))
    all = all.flatMap((context) => options.map((value) => ({ ...context, [key]: value })));
  return all;
}

/** Returns false if a clause is a conjunction that requires another view. */
function canHoldIn(view: string, clause: string): boolean {
  const required = /(?:^|&& )view == ([\w.]+)(?: &&|$)/.exec(clause)?.[1];
  return required === undefined || required === view || /\|\||!\(/.test(clause);
}

function keysOf(clause: string | undefined): readonly string[] {
  return clause === undefined ? [] : clauseOf(clause).keys;
}

const clauses = new Map<string, WhenClause>();

/** Parses each clause once, because it is evaluated in hundreds of states. */
function clauseOf(text: string): WhenClause {
  const known = clauses.get(text) ?? parseWhen(text);
  clauses.set(text, known);
  return known;
}

function shown(menu: string, context: Context): readonly MenuItem[] {
  return (menus[menu] ?? []).filter(({ when }) => when === undefined || clauseOf(when).holds(context));
}

describe('the commands of the manifest', () => {
  it('each have one handler, registered by the constant in ids.ts', () => {
    const code = globSync('src/**/*.ts', { cwd: ROOT })
      .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
      .join('\n');
    const handled = [...code.matchAll(/\[(commands\.\w+)\]:/g)].map(([, name]) => name);
    assert.deepEqual(
      handled.toSorted(),
      Object.keys(commands)
        .map((name) => `commands.${name}`)
        .toSorted(),
    );
  });

  it('have titles in the style of VS Code', () => {
    for (const { command, title, category } of contributed) {
      assert.equal(category, 'Signalbox', command);
      const text = texts[title.replaceAll('%', '')] ?? '';
      assert.match(text, /^[A-Z][^.:]*[^.: ]$/, `${command}: “${text}”`);
      assert.doesNotMatch(text, /Signalbox/, `${command} repeats its category`);
      assert.doesNotMatch(text, /\.\.\./, `${command}: dots instead of an ellipsis`);
    }
  });

  it('for a row or document appear in the palette only while one is active', () => {
    const entries = new Map((menus['commandPalette'] ?? []).map(({ command, when }) => [command, when]));
    assert.deepEqual([...entries.keys()].toSorted(), itemOnly.toSorted());
    const clauses = ['false', 'resourceScheme == signalbox', 'activeCustomEditorId == signalbox.document'];
    for (const [command, when] of entries) assert.ok(clauses.includes(when ?? ''), command);
  });

  it('are registered by activation if they are enabled before the extension is loaded', () => {
    const started = new Set<string>(Object.values(startCommands));
    const hidden = new Map((menus['commandPalette'] ?? []).map(({ command, when }) => [command, when]));
    for (const context of [{}, contextOfUnusedWindow]) {
      const holds = (clause: string | undefined): boolean => clause === undefined || clauseOf(clause).holds(context);
      const enabled = contributed.filter(({ command, enablement }) => holds(enablement) && holds(hidden.get(command)));
      assert.ok(enabled.length > 0);
      assert.deepEqual(
        enabled.map(({ command }) => command).filter((command) => !started.has(command)),
        [],
      );
    }
    const links = JSON.stringify(manifest.contributes.walkthroughs).matchAll(/%([\w.]+)%/g);
    for (const [, key] of links)
      for (const [, command] of (texts[key ?? ''] ?? '').matchAll(/\(command:([\w.]+)/g))
        if (command?.startsWith('signalbox.') === true) assert.ok(started.has(command), command);
  });

  it('use only known context keys in when clauses', () => {
    const contributedClauses = new Set<string>();
    JSON.stringify(manifest.contributes, (key, value: unknown) => {
      if ((key === 'when' || key === 'enablement') && typeof value === 'string') contributedClauses.add(value);
      return value;
    });
    const known = new Set([...Object.values(contextKeys), ...ofVsCode]);
    for (const clause of contributedClauses) {
      const strange = clauseOf(clause).keys.filter((key) => !known.has(key) && !key.startsWith('config.signalbox.'));
      assert.deepEqual(strange, [], clause);
    }
  });

  for (const view of Object.values(views)) {
    it(`show at most ${MAX_ICONS} icons in the title of ${view}, each with an icon, in every state`, () => {
      const icons = new Map(contributed.map(({ command, icon }) => [command, icon]));
      for (const state of statesOf(view)) {
        const inTitle = shown('view/title', { ...state, view }).filter(({ group }) => group?.startsWith('navigation'));
        assert.ok(inTitle.length + 1 <= MAX_ICONS, `${JSON.stringify(state)}: ${inTitle.map(({ command }) => command)}`);
        for (const { command } of inTitle) assert.match(icons.get(command) ?? '', /^\$\(.+\)$/, command);
      }
    });

    it(`appear once and in a fixed order in the menu of ${view}, in every state`, () => {
      for (const state of statesOf(view)) {
        const items = shown('view/title', { ...state, view });
        const places = items.map(({ group }) => group ?? '');
        for (const location of places) assert.match(location, /^(navigation|\d_[a-z]+)@\d+$/);
        assert.equal(new Set(places).size, places.length, `${JSON.stringify(state)}: ${places.join(', ')}`);
        const ids = items.map(({ command }) => command);
        assert.equal(new Set(ids).size, ids.length, `${JSON.stringify(state)}: ${ids.join(', ')}`);
      }
    });

    it(`are enabled wherever the menu of ${view} shows them`, () => {
      const enablement = new Map(contributed.map(({ command, enablement: clause }) => [command, clause]));
      for (const state of statesOf(view)) {
        for (const { command } of shown('view/title', { ...state, view })) {
          const clause = enablement.get(command);
          const isStopping = ['starting', 'stopping'].includes(String(state[contextKeys.serverState]));
          // While the server stops, the command is disabled rather than hidden for a moment.
          if (clause !== undefined && !isStopping)
            assert.ok(clauseOf(clause).holds(state), `${command} in ${JSON.stringify(state)}`);
        }
      }
    });
  }

  it('that appear inline on a row also appear in its context menu, for keyboard users', () => {
    const items = menus['view/item/context'] ?? [];
    const inline = items.filter(({ group }) => group === 'inline' || group?.startsWith('inline@'));
    assert.ok(inline.length > 0);
    for (const { command, when } of inline) {
      const other = items.find(
        (item) => item.command === command && item.when === when && /^(navigation|\d_[a-z]+)@\d+$/.test(item.group ?? ''),
      );
      assert.ok(other !== undefined, `${command} can be reached with the pointer only`);
    }
  });
});
