import assert from 'node:assert/strict';
import { filterError, passesFilter } from '../../../server/features/hooks/branchFilter.ts';
import {
  filledIn,
  loopbackLookup,
  missingVariables,
  urlRefusal,
  withoutCredentials,
} from '../../../server/features/hooks/hookUrl.ts';

const ORIGIN = { value: 'http://127.0.0.1:8080', listening: 'http://127.0.0.1:8080' };

describe('URLs of hooks', () => {
  it('URLs of this machine are accepted, in every notation of its addresses', () => {
    for (const url of [
      'http://127.0.0.1:3000/hook',
      'http://127.3.2.1/',
      'https://localhost/hook',
      'http://LOCALHOST:3000',
      'http://[::1]:3000/',
      'http://[::ffff:127.0.0.1]/',
      'http://2130706433:3000/',
      'http://ada:secret@127.1/',
    ]) {
      assert.equal(urlRefusal(url, ORIGIN), undefined, url);
    }
  });

  it('URLs of other machines are refused with the reason, also names that begin like an address', () => {
    for (const url of [
      'http://example.com/',
      'http://192.168.0.1/',
      'http://127.0.0.1.example.com/',
      'http://127.example.com/',
      'http://0.0.0.0/',
      'http://[::]/',
      'http://[::ffff:10.0.0.1]/',
      'http://localhost.example.com/',
      'http://127.0.0.1@example.com/',
    ]) {
      assert.match(urlRefusal(url, ORIGIN) ?? '', /delivers to this machine only/, url);
    }
    for (const url of ['', 'hook', 'ftp://127.0.0.1/', 'file:///etc/passwd', 'http://']) {
      assert.equal(urlRefusal(url, ORIGIN), 'must be a valid http or https URL', url);
    }
  });

  it('the server does not call itself, by the address on which it listens or by its public URL', () => {
    const addresses = { value: 'https://signalbox.example', listening: 'http://127.0.0.1:8080' };
    for (const url of [
      'http://localhost:8080/api/v4/projects',
      'https://127.0.0.1:8080',
      'http://[::1]:8080',
      'https://localhost/',
    ])
      assert.equal(urlRefusal(url, addresses), 'is blocked: it is the address of the server itself', url);
    for (const url of ['http://localhost:8081', 'http://localhost/']) assert.equal(urlRefusal(url, addresses), undefined, url);
  });

  it('variables are filled in, and those without a value are named', () => {
    assert.equal(filledIn('http://{host}/{key}?{other}', { host: 'localhost', key: 'k' }), 'http://localhost/k?{other}');
    assert.deepEqual(missingVariables('http://{host}/{key}/{key}', { host: 'localhost' }), ['key']);
    assert.deepEqual(missingVariables('http://localhost/{toString}', {}), ['toString']);
  });

  it('deliveries show URLs without credentials', () => {
    assert.equal(
      withoutCredentials('http://ada:pw@localhost/x?token=abc&y=1'),
      'http://*****:*****@localhost/x?token=[masked]&y=1',
    );
  });

  it('a name that resolves to another machine is refused when the connection is made', () => {
    const found = (addresses: readonly string[]) => {
      const seen: unknown[] = [];
      const lookup = loopbackLookup((_name, _options, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
      );
      lookup('localhost', {}, (error, address) => seen.push(error?.message ?? address));
      return seen;
    };
    assert.deepEqual(found(['127.0.0.1', '::1']), ['127.0.0.1']);
    assert.deepEqual(found(['127.0.0.1', '10.0.0.7']), ['localhost is not on this machine']);
    assert.deepEqual(found([]), ['localhost has no address']);
  });
});

describe('branch filters of hooks', () => {
  const passes = (strategy: 'wildcard' | 'regex' | 'all_branches', filter: string, branch: string): boolean =>
    passesFilter({ branch_filter: filter, branch_filter_strategy: strategy }, branch);

  it('branches are selected by wildcards, by a regular expression, or all', () => {
    assert.equal(passes('wildcard', 'release-*', 'release-1'), true);
    assert.equal(passes('wildcard', 'release-*', 'main'), false);
    assert.equal(passes('wildcard', '', 'main'), true);
    assert.equal(passes('regex', '^(main|topic-\\d+)$', 'topic-7'), true);
    assert.equal(passes('regex', '^(main|topic-\\d+)$', 'topic'), false);
    assert.equal(passes('all_branches', 'main', 'topic'), true);
  });

  it('a regular expression that would take forever passes nothing', () => {
    assert.equal(passes('regex', '^(a+)+$', `${'a'.repeat(200)}!`), false);
  });

  it('filters that can match nothing are refused', () => {
    assert.equal(filterError({ branch_filter: 'a b', branch_filter_strategy: 'wildcard' }), 'is not a valid branch name');
    assert.equal(filterError({ branch_filter: '(', branch_filter_strategy: 'regex' }), 'is not a valid regular expression');
    assert.equal(filterError({ branch_filter: '(', branch_filter_strategy: 'all_branches' }), undefined);
  });
});
