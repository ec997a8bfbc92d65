// Compares the contributions in package.json with src/ids.ts in both directions, and its texts with package.nls.json. Each command must have
// its handler in the file commands.ts of its feature.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** IDs of one kind of contribution, as exported by src/ids.ts. */
type Ids = Readonly<Record<string, string>>;

export interface AllIds {
  readonly commands: Ids;
  readonly views: Ids;
  readonly viewsContainers: Ids;
  readonly settings: Ids;
  readonly contextKeys: Ids;
  readonly authenticationProviders: Ids;
  readonly customEditors: Ids;
  readonly languageModelTools: Ids;
  readonly walkthroughs: Ids;
}

/**
 * @param manifest package.json, parsed
 * @param texts file name → its parsed content, for package.nls.json and its translations
 * @returns the problems, one line each; empty if there are none
 */
export function manifestProblems(manifest: unknown, texts: Readonly<Record<string, unknown>>, ids: AllIds): string[] {
  const contributes = member(manifest, 'contributes');
  const commands = list(member(contributes, 'commands'));
  const containers = entries(member(contributes, 'viewsContainers')).flatMap(([, of]) => list(of));
  const views = entries(member(contributes, 'views')).flatMap(([, of]) => list(of));
  const settings = list(member(contributes, 'configuration')).flatMap((part) =>
    entries(member(part, 'properties')).map(([id]) => id),
  );
  const events = allStrings(contributes, (key) => key === 'completionEvents');
  const clauses = [
    ...allStrings(contributes, (key) => key === 'when' || key === 'enablement'),
    ...mentions(events, /^onContext:(.*)$/g),
  ].flatMap(clauseTerms);
  const ownKeys = clauses.map(({ key }) => key).filter((key) => key.startsWith('signalbox.'));
  const strings = allStrings(manifest, () => true);
  const used = new Set(strings.flatMap((text) => /^%(.+)%$/.exec(text)?.[1] ?? []));
  const links = [...strings, ...Object.values(texts).flatMap((file) => allStrings(file, () => true))];

  return [
    ...bothWays('command', idsOf(commands, 'command'), ids.commands, /^signalbox\./),
    ...bothWays('view', idsOf(views, 'id'), ids.views, /^signalbox\./),
    ...bothWays('setting', settings, ids.settings, /^signalbox\./),
    ...bothWays('context key', ownKeys, ids.contextKeys, /^signalbox\./),
    // VS Code does not allow a dot in the ID of a container.
    ...bothWays('view container', idsOf(containers, 'id'), ids.viewsContainers, /^signalbox\b/),
    ...bothWays(
      'authentication provider',
      idsOf(list(member(contributes, 'authentication')), 'id'),
      ids.authenticationProviders,
      /^signalbox\b/,
    ),
    ...bothWays(
      'custom editor',
      idsOf(list(member(contributes, 'customEditors')), 'viewType'),
      ids.customEditors,
      /^signalbox\./,
    ),
    ...bothWays(
      'language model tool',
      idsOf(list(member(contributes, 'languageModelTools')), 'name'),
      ids.languageModelTools,
      /^signalbox_[a-z]/i,
    ),
    // VS Code itself adds the name of the extension to these.
    ...bothWays('walkthrough', idsOf(list(member(contributes, 'walkthroughs')), 'id'), ids.walkthroughs, /^[a-z]/),

    ...commands
      .filter((command) => member(command, 'category') !== 'Signalbox')
      .map((command) => `${nameOf(command)}: category is not "Signalbox"`),
    ...commands.filter((command) => text(command, 'title') === '').map((command) => `${nameOf(command)}: no title`),

    ...unknown('command', mentions(links, /\bcommand:(signalbox\.[\w.]+)/g), ids.commands),
    ...unknown('command', mentions(strings, /^onCommand:(signalbox\.[\w.]+)$/g), ids.commands),
    ...unknown('view', mentions(strings, /^onView:(signalbox\.[\w.]+)$/g), ids.views),
    ...unknown('context key', mentions(strings, /^onContext:!?(signalbox\.[\w.]+)$/g), ids.contextKeys),
    ...unknown('command', allStrings(member(contributes, 'menus'), (key) => key === 'command').filter(isOwn), ids.commands),
    ...unknown('command', allStrings(member(contributes, 'keybindings'), (key) => key === 'command').filter(isOwn), ids.commands),
    ...unknown('view', allStrings(member(contributes, 'viewsWelcome'), (key) => key === 'view').filter(isOwn), ids.views),
    ...unknown('view', valuesOf(clauses, 'view'), ids.views),
    ...unknown(
      'setting',
      clauses.map(({ key }) => key.replace(/^config\./, '')).filter((key, at) => key !== clauses[at]?.key && isOwn(key)),
      ids.settings,
    ),

    ...Object.entries(texts).flatMap(([file, content]) => {
      const keys = new Set(entries(content).map(([key]) => key));
      return [
        ...[...used].filter((key) => !keys.has(key)).map((key) => `${file}: no text for %${key}%`),
        ...[...keys].filter((key) => !used.has(key)).map((key) => `${file}: package.json does not use ${key}`),
      ];
    }),
  ];
}

/** Folders of the features whose commands have IDs with another second part. */
const folders: ReadonlyMap<string, string> = new Map([
  ['groups', 'projects'],
  ['log', 'diagnostics'],
]);

/**
 * @param commands commands of src/ids.ts
 * @param sources path of a source file of the extension → its content
 * @returns the commands whose handler is not in src/<feature>/commands.ts, one line each; the feature is the second part of the ID
 */
export function handlerProblems(commands: Ids, sources: Readonly<Record<string, string>>): string[] {
  const handled = Object.entries(sources).flatMap(([file, source]) =>
    [...source.matchAll(/\[commands\.(\w+)\]:/g)].map((match) => ({ file, name: match[1] })),
  );
  return Object.entries(commands).flatMap(([name, id]) => {
    const feature = id.split('.')[1] ?? '';
    const expected = `src/${folders.get(feature) ?? feature}/commands.ts`;
    const files = handled.filter((handler) => handler.name === name).map(({ file }) => file);
    return [
      ...(files.includes(expected) ? [] : [`command ${id} has no handler in ${expected}`]),
      ...files.filter((file) => file !== expected).map((file) => `command ${id} has a handler in ${file} instead of ${expected}`),
    ];
  });
}

function bothWays(kind: string, contributed: readonly string[], ids: Ids, form: RegExp): string[] {
  const known = Object.values(ids);
  return [
    ...unknown(kind, contributed, ids),
    ...known.filter((id) => !contributed.includes(id)).map((id) => `${kind} ${id} is in src/ids.ts and not in package.json`),
    ...known.filter((id) => !form.test(id)).map((id) => `${kind} ${id} does not start with "signalbox"`),
    ...known.filter((id, at) => known.indexOf(id) !== at).map((id) => `${kind} ${id} stands twice in src/ids.ts`),
  ];
}

function unknown(kind: string, mentioned: readonly string[], ids: Ids): string[] {
  const known = Object.values(ids);
  return [...new Set(mentioned)]
    .filter((id) => !known.includes(id))
    .map((id) => `${kind} ${id} is in package.json and not in src/ids.ts`);
}

interface Term {
  readonly key: string;
  readonly value: string | undefined;
}

/**
 * Returns the keys of a when clause with the values they are compared with, for example of `view == signalbox.activity &&
 * !signalbox.signedIn`.
 */
function clauseTerms(clause: string): Term[] {
  return clause
    .replace(/=~\s*\/(?:[^/\\]|\\.)*\/\w*/g, '=~ …')
    .split(/&&|\|\||[()]|!(?!=)/)
    .map((term) => term.trim())
    .filter((term) => term !== '')
    .map((term) => {
      const [, key = term, value] = /^(\S+)\s*(?:[=!]==?|=~|[<>]=?|\bnot in\b|\bin\b)\s*(.*)$/.exec(term) ?? [];
      return { key, value: value?.replace(/^'(.*)'$/, '$1') };
    });
}

function valuesOf(terms: readonly Term[], key: string): string[] {
  return terms.flatMap((term) => (term.key === key && term.value !== undefined && isOwn(term.value) ? [term.value] : []));
}

function mentions(strings: readonly string[], form: RegExp): string[] {
  return strings.flatMap((text) => [...text.matchAll(form)].map((match) => match[1] ?? ''));
}

function isOwn(id: string): boolean {
  return id.startsWith('signalbox.');
}

/** Returns every string below `value` under a key (or in a list under a key) that `wanted` accepts. */
function allStrings(value: unknown, wanted: (key: string) => boolean, key = ''): string[] {
  if (typeof value === 'string') return wanted(key) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => allStrings(item, wanted, key));
  return entries(value).flatMap(([name, item]) => allStrings(item, wanted, name));
}

function idsOf(items: readonly unknown[], key: string): string[] {
  return items.map((item) => text(item, key));
}

function nameOf(command: unknown): string {
  return `command ${text(command, 'command')}`;
}

function text(value: unknown, key: string): string {
  const found = member(value, key);
  return typeof found === 'string' ? found : '';
}

function member(value: unknown, key: string): unknown {
  return entries(value).find(([name]) => name === key)?.[1];
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** Returns a list unchanged, a single value as a list, and undefined as an empty list. */
function list(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

if (import.meta.main) {
  const root = path.dirname(import.meta.dirname);
  const read = (name: string): unknown => JSON.parse(readFileSync(path.join(root, name), 'utf8'));
  const texts = readdirSync(root).filter((name) => /^package\.nls(\..+)?\.json$/.test(name));
  const { commands } = await import('../src/ids.ts');
  const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'));
  const problems = [
    ...manifestProblems(
      read('package.json'),
      Object.fromEntries(texts.map((name) => [name, read(name)])),
      await import('../src/ids.ts'),
    ),
    ...handlerProblems(commands, Object.fromEntries(sources.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]))),
  ];
  for (const problem of problems) console.log(problem);
  if (texts.length === 0) console.log('package.nls.json is missing');
  process.exitCode = problems.length > 0 || texts.length === 0 ? 1 : 0;
}
