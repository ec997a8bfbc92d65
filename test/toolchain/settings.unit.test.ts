import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { settings } from '../../src/ids.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const properties: Readonly<Record<string, Readonly<Record<string, unknown>>>> = manifest.contributes.configuration.properties;
const restricted: readonly string[] = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;

/**
 * Scopes of the settings. `application` and `machine` settings belong to the user, and a folder cannot override them; only the former are
 * synced to other machines.
 */
const table = [
  ['signalbox.instances', 'application', 'restricted', 'names hosts that tokens go to, and files with certificates to trust'],
  [
    'signalbox.gitHosts',
    'window',
    'free',
    'only chooses which project is shown, as the remotes of the folder do; no token follows it',
  ],
  ['signalbox.local.seed', 'machine', 'restricted', 'is about the data of a server that all windows of this machine share'],
  ['signalbox.local.storages', 'machine', 'restricted', 'names folders that this server writes to'],
  ['signalbox.local.profile', 'machine', 'restricted', 'chooses the folder and the port of that server'],
  ['signalbox.local.release', 'machine', 'restricted', 'changes the responses of that server for all windows and clients'],
  ['signalbox.local.tier', 'machine', 'restricted', 'changes the responses of that server, too'],
  ['signalbox.local.offering', 'machine', 'restricted', 'changes the responses of that server, too'],
  ['signalbox.local.dialect', 'machine', 'restricted', 'changes the responses of that server, too'],
  ['signalbox.errorTracking.newErrors', 'window', 'free', 'only chooses how the window tells of new errors'],
  ['signalbox.errorTracking.newErrorLevels', 'window', 'free', 'only chooses which errors it tells of'],
  ['signalbox.errorTracking.newErrorEnvironments', 'window', 'free', 'only chooses which errors it tells of'],
  ['signalbox.errorMarks.gutter', 'window', 'free', 'only shows or hides icons'],
  ['signalbox.errorMarks.text', 'window', 'free', 'only shows or hides text'],
  ['signalbox.dsn.diagnostics', 'window', 'free', 'only shows or hides problems'],
  ['signalbox.errorMarks.explorer', 'window', 'free', 'only shows or hides badges'],
  ['signalbox.errorMarks.codeLens', 'window', 'free', 'only shows or hides code lenses'],
  ['signalbox.activity.pollSeconds', 'window', 'free', 'a team may ask for fewer requests; no value of it does harm'],
] as const;

describe('the settings of the manifest', () => {
  it('are exactly those of the table, with its scopes', () => {
    const scopes = Object.entries(properties).map(([id, { scope }]) => [id, scope]);
    assert.deepEqual(scopes.toSorted(), table.map(([id, scope]) => [id, scope]).toSorted());
  });

  it('are restricted in untrusted workspaces as in the table, including every user setting', () => {
    const expected = table.filter(([, , trust]) => trust === 'restricted').map(([id]) => id);
    assert.deepEqual(restricted.toSorted(), expected.toSorted());
    for (const [id, scope] of table)
      assert.equal(restricted.includes(id), scope === 'application' || scope === 'machine', `${id} is ${scope}`);
  });

  it('each have a type, a default, a description and a distinct order', () => {
    for (const [id, { type, default: standard, markdownDescription }] of Object.entries(properties)) {
      assert.equal(typeof type, 'string', id);
      assert.notEqual(standard, undefined, id);
      assert.match(String(markdownDescription), /^%settings\..+%$/, id);
    }
    const orders = Object.values(properties).map(({ order }) => order);
    assert.equal(new Set(orders).size, orders.length, `orders: ${orders.join(', ')}`);
  });

  it('are each read by the extension', () => {
    const code = globSync('src/**/*.ts', { cwd: ROOT })
      .filter((file) => path.basename(file) !== 'ids.ts')
      .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
      .join('\n');
    const unread = Object.keys(settings).filter(
      (name) => !new RegExp(`\\bsettingOf(?:<\\w+>)?\\((?:settings|settingIds)\\.${name}\\)`).test(code),
    );
    assert.deepEqual(unread, []);
  });

  it('take effect without reloading the window', () => {
    const code = globSync('src/**/*.ts', { cwd: ROOT })
      .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
      .join('\n');
    // Read at each start of a server, which is the only time it is used.
    const readOnUse = ['localSeed', 'localStorages'];
    const deaf = Object.keys(settings).filter(
      (name) =>
        !readOnUse.includes(name) && !new RegExp(`affectsConfiguration\\((?:settings|settingIds)\\.${name}\\)`).test(code),
    );
    assert.deepEqual(deaf, []);
  });
});
