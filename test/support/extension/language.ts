import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { after, before } from 'mocha';

const root = path.resolve(import.meta.dirname, '../../..');

/** Returns the German texts of the extension by their English texts. */
export function germanTexts(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(path.join(root, 'media/l10n/bundle.l10n.de.json'), 'utf8'));
}

/** Runs the tests of the surrounding suite with the extension's texts in another language. */
export function useLanguage(text: () => Readonly<Record<string, string>>): void {
  before(() => l10n.config({ contents: text() }));
  after(() => l10n.config({ contents: {} }));
}

const [BEGIN, END] = ['⟦', '⟧'];

/** Returns a language in which every translatable text is in brackets. */
export function bracketedTexts(): Readonly<Record<string, string>> {
  return new Proxy({}, { get: (_, text) => `${BEGIN}${String(text)}${END}` });
}

/** Returns the untranslated parts of a text in the bracketed language. */
export function outsideBrackets(text: string): string {
  const rest = text.replace(/⟦[^⟦⟧]*⟧/g, '');
  return rest === text ? text : outsideBrackets(rest);
}
