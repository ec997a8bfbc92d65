import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import {
  checkInstanceUrl,
  createInstances,
  type Instance,
  isSameInstance,
  localInstance,
  readInstanceSettings,
} from '../../../src/instances/instances.ts';
import { createWindowMemory } from '../../../src/support/windowMemory.ts';
import { fakeMemento } from '../../support/extension/fakes.ts';

describe('addresses of instances', () => {
  for (const [text, url] of [
    ['https://gitlab.example.com', 'https://gitlab.example.com'],
    ['  https://GitLab.Example.com/  ', 'https://gitlab.example.com'],
    ['https://example.com/gitlab/', 'https://example.com/gitlab'],
    ['https://gitlab.example.com/api/v4', 'https://gitlab.example.com'],
    ['https://example.com/gitlab/api/v4/', 'https://example.com/gitlab'],
    ['https://gitlab.example.com:8443', 'https://gitlab.example.com:8443'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ] as const) {
    it(`the address "${text}" becomes ${url}`, () => assert.deepEqual(checkInstanceUrl(text), { kind: 'accepted', url }));
  }

  it('addresses of instances have a warning if they do not use https', () => {
    const checked = checkInstanceUrl('http://gitlab.example.com');
    assert.equal(checked.kind === 'accepted' && checked.warning, 'Without HTTPS, others on the network can read your token');
  });

  for (const address of ['http://127.corp.example', 'http://localhost.example', 'http://127.0.0.1.example:3000'])
    it(`the address ${address} is not taken for this machine`, () => {
      const checked = checkInstanceUrl(address);
      assert.ok(checked.kind === 'accepted' && checked.warning !== undefined);
    });

  for (const address of [
    'http://localhost',
    'http://localhost.:3000',
    'http://127.9.9.9',
    'http://[::1]:3000',
    'http://a.localhost',
  ])
    it(`the address ${address} is one of this machine, which needs no https`, () =>
      assert.equal(Object.hasOwn(checkInstanceUrl(address), 'warning'), false));

  for (const text of [
    '',
    'gitlab.example.com',
    'ftp://example.com',
    'file:///etc',
    'https://me:secret@example.com',
    'https://example.com?x=1',
    'https://example.com#x',
  ]) {
    it(`the address "${text}" is rejected with a message`, () => assert.equal(checkInstanceUrl(text).kind, 'refused'));
  }
});

describe('the setting signalbox.instances', () => {
  it('the setting signalbox.instances contains each address once, and ignores invalid elements', () => {
    const value = [
      { url: 'https://a.example.com/' },
      { url: 'https://a.example.com', clientId: 'second' },
      { url: 'https://b.example.com', clientId: '  app  ' },
      { url: 'https://c.example.com', name: ' ', clientId: '', ca: ' /etc/ssl/c.pem ' },
      { url: 'http://127.0.0.1:3000', name: ' Harbour test ' },
      { url: 'nonsense' },
      { clientId: 'lonely' },
      'https://d.example.com',
      null,
    ];
    assert.deepEqual(readInstanceSettings(value), [
      { url: 'https://a.example.com' },
      { url: 'https://b.example.com', clientId: 'app' },
      { url: 'https://c.example.com', ca: '/etc/ssl/c.pem' },
      { url: 'http://127.0.0.1:3000', name: 'Harbour test' },
    ]);
  });

  it('the setting signalbox.instances contains each server of this machine once, by its first name', () => {
    const urls = [
      'http://localhost:3000',
      'http://127.0.0.1:3000',
      'http://[::1]:3000/',
      'http://127.0.0.1:3001',
      'http://127.0.0.1:3000/git',
    ];
    assert.deepEqual(
      readInstanceSettings(urls.map((url) => ({ url }))).map(({ url }) => url),
      ['http://localhost:3000', 'http://127.0.0.1:3001', 'http://127.0.0.1:3000/git'],
    );
  });

  for (const [one, other, isSame] of [
    ['http://localhost:3000', 'http://127.0.0.1:3000', true],
    ['http://localhost:3000', 'http://[::1]:3001', false],
    ['local/1', 'local/1', true],
    ['local/1', 'local/2', false],
    ['https://a.example.com', 'https://A.example.com/', true],
    ['https://a.example.com', 'http://a.example.com', false],
  ] as const)
    it(`${one} and ${other} are ${isSame ? 'the same instance' : 'different instances'}`, () =>
      assert.equal(isSameInstance(one, other), isSame));

  for (const value of [undefined, null, {}, 'https://a.example.com']) {
    it(`the setting signalbox.instances is empty if its value is ${JSON.stringify(value)}`, () =>
      assert.deepEqual(readInstanceSettings(value), []));
  }
});

describe('the instances', () => {
  const LOCAL = localInstance('data-1');
  function world(setting: unknown = [{ url: 'https://a.example.com' }], memory = fakeMemento(), window = fakeMemento()) {
    let data: string | undefined = 'data-1';
    let value = setting;
    const instances = createInstances(
      () => value,
      createWindowMemory(window, memory),
      () => data,
    );
    const changes: Instance[] = [];
    instances.onDidChangeCurrent((instance) => changes.push(instance));
    const configure = (next: unknown): void => {
      value = next;
      instances.reread();
    };
    const lists: number[] = [];
    instances.onDidChange(() => lists.push(instances.all().length));
    const serve = (next: string | undefined): void => {
      data = next;
      instances.reread();
    };
    return { instances, memory, changes: () => changes.map(({ key }) => key), configure, serve, lists };
  }

  it('the instances are the local server, followed by those of the setting', () => {
    assert.deepEqual(world().instances.all(), [
      LOCAL,
      { key: 'https://a.example.com', kind: 'remote', label: 'a.example.com', clientId: EXTENSION_CLIENT_ID },
    ]);
  });

  it('the instances start with the first configured instance, or else with the local server', async () => {
    assert.equal(world().instances.current().key, 'https://a.example.com');
    assert.deepEqual(world([]).instances.current(), LOCAL);
    const { instances, memory } = world();
    await instances.select('local');
    assert.deepEqual(world(undefined, memory).instances.current(), LOCAL);
  });

  it('the instances store which one is current', async () => {
    const two = [{ url: 'https://a.example.com' }, { url: 'https://b.example.com' }];
    const { instances, memory, changes } = world(two);
    await instances.select('https://b.example.com');
    await instances.select('https://b.example.com');
    assert.deepEqual(changes(), ['https://b.example.com']);
    assert.equal(world(two, memory).instances.current().key, 'https://b.example.com');
  });

  it('the instances are selected per window, also after a reload', async () => {
    const two = [{ url: 'https://a.example.com' }, { url: 'https://b.example.com' }];
    const { instances, memory } = world(two);
    await instances.select('https://a.example.com');
    const window = fakeMemento();
    const other = world(two, memory, window);
    assert.equal(other.instances.current().key, 'https://a.example.com', 'a new window starts with the last selected instance');
    await other.instances.select('https://b.example.com');
    assert.equal(instances.current().key, 'https://a.example.com');
    await instances.select('local');
    assert.equal(other.instances.current().key, 'https://b.example.com');
    assert.equal(world(two, memory, window).instances.current().key, 'https://b.example.com');
  });

  it('the instances fall back to the local server while the current one is missing from the setting', async () => {
    const { instances, changes, configure } = world();
    await instances.select('https://a.example.com');
    configure([]);
    assert.deepEqual(instances.current(), LOCAL);
    configure([{ url: 'https://a.example.com' }]);
    assert.equal(instances.current().key, 'https://a.example.com');
    assert.deepEqual(changes(), ['local/data-1', 'https://a.example.com']);
  });

  it('the instances notify when the client ID of the current one changes', async () => {
    const { instances, changes, configure } = world();
    await instances.select('https://a.example.com');
    configure([{ url: 'https://a.example.com', clientId: 'app' }]);
    assert.equal(instances.current().clientId, 'app');
    assert.equal(changes().length, 1);
  });

  it('the instances change with the data of the local server, which stays selected', async () => {
    const { instances, changes, serve, lists } = world();
    await instances.select(LOCAL.key);
    serve('data-2');
    serve('data-2');
    assert.equal(instances.current().key, 'local/data-2');
    assert.deepEqual(instances.all()[0], localInstance('data-2'));
    serve('data-1');
    assert.deepEqual(changes(), ['local/data-1', 'local/data-2', 'local/data-1']);
    assert.equal(lists.length, 2);
  });

  it('the instances include a local server without data before its first start', () => {
    const { instances, serve } = world([]);
    serve(undefined);
    assert.equal(instances.current().key, 'local');
  });
});
