import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { proxyFor } from '../../src/api/proxy.ts';

const SET = 'http://set.example:3128';
const GIVEN = 'http://given.example:8080';
const AWAY = 'https://gitlab.example.com/api/v4/user';

interface Case {
  readonly when: string;
  readonly url?: string;
  readonly settings?: Partial<Parameters<typeof proxyFor>[1]>;
  readonly environment?: Parameters<typeof proxyFor>[2];
  readonly proxy: string | undefined;
}

const cases: readonly Case[] = [
  { when: 'nothing is set', proxy: undefined },
  { when: 'the setting names one', settings: { proxy: SET }, environment: { HTTPS_PROXY: GIVEN }, proxy: SET },
  { when: 'the setting leaves out the scheme', settings: { proxy: 'set.example:3128' }, proxy: SET },
  { when: 'the setting names none', settings: { proxy: '' }, environment: { HTTPS_PROXY: GIVEN }, proxy: GIVEN },
  { when: 'the setting is no address', settings: { proxy: 'http://' }, proxy: undefined },
  { when: 'the setting names a kind that is not known', settings: { proxy: 'socks5://set.example' }, proxy: undefined },
  { when: 'the environment has small letters', environment: { https_proxy: GIVEN }, proxy: GIVEN },
  { when: 'the environment has one for http only', environment: { HTTP_PROXY: GIVEN }, proxy: GIVEN },
  {
    when: 'the environment has one for https and the URL is http',
    url: 'http://gitlab.example.com/',
    environment: { HTTPS_PROXY: GIVEN },
    proxy: undefined,
  },
  {
    when: 'extensions are to use none',
    settings: { proxy: SET, proxySupport: 'off' },
    environment: { HTTPS_PROXY: GIVEN },
    proxy: undefined,
  },
  { when: 'the setting makes an exception', settings: { proxy: SET, noProxy: ['example.com'] }, proxy: undefined },
  {
    when: 'the setting makes an exception from the environment',
    settings: { noProxy: ['.example.com'] },
    environment: { HTTPS_PROXY: GIVEN },
    proxy: undefined,
  },
  { when: 'an exception only ends like it', settings: { proxy: SET, noProxy: ['ample.com'] }, proxy: SET },
  { when: 'an exception is for another port', settings: { proxy: SET, noProxy: ['example.com:8443'] }, proxy: SET },
  { when: 'an exception is for its port', settings: { proxy: SET, noProxy: ['*.example.com:443'] }, proxy: undefined },
  { when: 'everything is an exception', settings: { proxy: SET, noProxy: ['*'] }, proxy: undefined },
  {
    when: 'the environment makes an exception from itself',
    environment: { HTTPS_PROXY: GIVEN, no_proxy: 'other.example, .example.com' },
    proxy: undefined,
  },
  {
    when: 'the environment makes an exception that the setting does not know',
    settings: { proxy: SET },
    environment: { NO_PROXY: '*' },
    proxy: SET,
  },
  {
    when: 'an address lies in a range',
    url: 'https://10.1.2.3/',
    settings: { proxy: SET, noProxy: ['10.0.0.0/8'] },
    proxy: undefined,
  },
  {
    when: 'an address lies in no range',
    url: 'https://11.1.2.3/',
    settings: { proxy: SET, noProxy: ['10.0.0.0/8'] },
    proxy: SET,
  },
  { when: 'a range is none', url: 'https://10.1.2.3/', settings: { proxy: SET, noProxy: ['10.0.0.0/33', 'a/8'] }, proxy: SET },
  {
    when: 'an IPv6 address is an exception',
    url: 'https://[2001:db8::1]/',
    settings: { proxy: SET, noProxy: ['2001:db8::1'] },
    proxy: undefined,
  },
  ...['http://127.0.0.1:4000/', 'http://localhost:4000/', 'https://[::1]:4000/', 'http://127.1.2.3/', 'http://a.localhost/'].map(
    (url) => ({
      when: `the address is ${url}`,
      url,
      settings: { proxy: SET },
      environment: { HTTP_PROXY: GIVEN, HTTPS_PROXY: GIVEN },
      proxy: undefined,
    }),
  ),
];

describe('the proxy of an instance', () => {
  const none = { proxy: undefined, proxySupport: 'override', noProxy: [], proxyAuthorization: null };
  for (const { when, url = AWAY, settings = {}, environment = {}, proxy } of cases) {
    it(`when ${when}`, () => assert.equal(proxyFor(url, { ...none, ...settings }, environment)?.url, proxy));
  }

  it('is used with its credentials', () => {
    assert.deepEqual(proxyFor(AWAY, { ...none, proxy: SET, proxyAuthorization: 'Basic abc' }, {}), {
      url: SET,
      authorization: 'Basic abc',
    });
  });
});
