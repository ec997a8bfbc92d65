// Runs VS Code's workbench in German. The full German pack comes from a marketplace; a small pack is enough to set the display language,
// which extensions use.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Texts of the workbench by module and key, as in VS Code's `out/nls.keys.json`. */
const WORDS = {
  'vs/workbench/browser/parts/globalCompositeBar': { accounts: 'Konten', manage: 'Verwalten' },
  'vs/workbench/contrib/markers/browser/markers.contribution': { noProblems: 'Keine Probleme' },
  'vs/workbench/contrib/files/browser/explorerViewlet': { explore: 'Explorer' },
  'vs/workbench/contrib/search/browser/search.contribution': { search: 'Suchen' },
  'vs/workbench/contrib/scm/browser/scm.contribution': { 'source control': 'Quellcodeverwaltung' },
  'vs/workbench/contrib/extensions/browser/extensions.contribution': { extensions: 'Erweiterungen' },
};

/**
 * Installs the language pack for a VS Code server that has not started yet. VS Code registers the translations of an extension in
 * `languagepacks.json` when it installs a pack; this function writes the file directly.
 */
export function installGerman(userDataDir: string, extensionsDir: string): void {
  const folder = path.join(extensionsDir, 'signalbox-test.language-pack-de-1.0.0');
  const translation = path.join(folder, 'main.i18n.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(translation, JSON.stringify({ version: '1.0.0', contents: WORDS }));
  const localization = { languageId: 'de', languageName: 'German', localizedLanguageName: 'Deutsch' };
  const manifest = {
    name: 'language-pack-de',
    publisher: 'signalbox-test',
    version: '1.0.0',
    engines: { vscode: '^1.112.0' },
    contributes: { localizations: [{ ...localization, translations: [{ id: 'vscode', path: './main.i18n.json' }] }] },
  };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  const identifier = { id: `${manifest.publisher}.${manifest.name}` };
  const pack = {
    hash: 'signalbox-test',
    extensions: [{ extensionIdentifier: identifier, version: manifest.version }],
    translations: { vscode: translation },
    label: localization.localizedLanguageName,
  };
  mkdirSync(path.join(userDataDir, 'data'), { recursive: true });
  writeFileSync(path.join(userDataDir, 'data', 'languagepacks.json'), JSON.stringify({ de: pack }));
}
