import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { after, before } from 'mocha';

const root = path.resolve(import.meta.dirname, '../../..');

/** What the extension says in German, by what it says in English. */
export function germanWords(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(path.join(root, 'media/l10n/bundle.l10n.de.json'), 'utf8'));
}

/** The tests of the suite around it find the words of the extension in another language. */
export function speaking(text: () => Readonly<Record<string, string>>): void {
  before(() => l10n.config({ contents: text() }));
  after(() => l10n.config({ contents: {} }));
}

const [BEGIN, END] = ['⟦', '⟧'];

/** A language in which everything that can be translated stands in brackets. */
export function bracketed(): Readonly<Record<string, string>> {
  return new Proxy({}, { get: (_, text) => `${BEGIN}${String(text)}${END}` });
}

/** What of a text of that language is not translated. */
export function outsideBrackets(text: string): string {
  const rest = text.replace(/⟦[^⟦⟧]*⟧/g, '');
  return rest === text ? text : outsideBrackets(rest);
}
