import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { proxyFor } from '../../../src/api/proxy.ts';

const CONFIGURED = 'http://configured.example:3128';
const INHERITED = 'http://inherited.example:8080';
const REMOTE = 'https://gitlab.example.com/api/v4/user';

interface Case {
  readonly when: string;
  readonly url?: string;
  readonly settings?: Partial<Parameters<typeof proxyFor>[1]>;
  readonly environment?: Parameters<typeof proxyFor>[2];
  readonly proxy: string | undefined;
}

const cases: readonly Case[] = [
  { when: 'nothing is configured', proxy: undefined },
  {
    when: 'the setting contains one',
    settings: { proxy: CONFIGURED },
    environment: { HTTPS_PROXY: INHERITED },
    proxy: CONFIGURED,
  },
  { when: 'the setting has no scheme', settings: { proxy: 'configured.example:3128' }, proxy: CONFIGURED },
  { when: 'the setting is empty', settings: { proxy: '' }, environment: { HTTPS_PROXY: INHERITED }, proxy: INHERITED },
  { when: 'the setting is invalid', settings: { proxy: 'http://' }, proxy: undefined },
  { when: 'the setting has an unsupported scheme', settings: { proxy: 'socks5://configured.example' }, proxy: undefined },
  { when: 'the environment variable is in lower case', environment: { https_proxy: INHERITED }, proxy: INHERITED },
  { when: 'the environment contains one for http only', environment: { HTTP_PROXY: INHERITED }, proxy: INHERITED },
  {
    when: 'the environment contains one for https and the URL is http',
    url: 'http://gitlab.example.com/',
    environment: { HTTPS_PROXY: INHERITED },
    proxy: undefined,
  },
  {
    when: 'proxies are disabled for extensions',
    settings: { proxy: CONFIGURED, proxySupport: 'off' },
    environment: { HTTPS_PROXY: INHERITED },
    proxy: undefined,
  },
  {
    when: 'the host is an exception in the settings',
    settings: { proxy: CONFIGURED, noProxy: ['example.com'] },
    proxy: undefined,
  },
  {
    when: 'the host is an exception in the settings and the proxy is from the environment',
    settings: { noProxy: ['.example.com'] },
    environment: { HTTPS_PROXY: INHERITED },
    proxy: undefined,
  },
  {
    when: 'an exception is only a suffix of the domain',
    settings: { proxy: CONFIGURED, noProxy: ['ample.com'] },
    proxy: CONFIGURED,
  },
  { when: 'an exception is for another port', settings: { proxy: CONFIGURED, noProxy: ['example.com:8443'] }, proxy: CONFIGURED },
  {
    when: 'an exception is for the same port',
    settings: { proxy: CONFIGURED, noProxy: ['*.example.com:443'] },
    proxy: undefined,
  },
  { when: 'everything is an exception', settings: { proxy: CONFIGURED, noProxy: ['*'] }, proxy: undefined },
  {
    when: 'the host is an exception in the environment',
    environment: { HTTPS_PROXY: INHERITED, no_proxy: 'other.example, .example.com' },
    proxy: undefined,
  },
  {
    when: 'the host is an exception in the environment and the proxy is from the settings',
    settings: { proxy: CONFIGURED },
    environment: { NO_PROXY: '*' },
    proxy: CONFIGURED,
  },
  {
    when: 'the address is in an excepted range',
    url: 'https://10.1.2.3/',
    settings: { proxy: CONFIGURED, noProxy: ['10.0.0.0/8'] },
    proxy: undefined,
  },
  {
    when: 'the address is not in an excepted range',
    url: 'https://11.1.2.3/',
    settings: { proxy: CONFIGURED, noProxy: ['10.0.0.0/8'] },
    proxy: CONFIGURED,
  },
  {
    when: 'an excepted range is invalid',
    url: 'https://10.1.2.3/',
    settings: { proxy: CONFIGURED, noProxy: ['10.0.0.0/33', 'a/8'] },
    proxy: CONFIGURED,
  },
  {
    when: 'the IPv6 address is an exception',
    url: 'https://[2001:db8::1]/',
    settings: { proxy: CONFIGURED, noProxy: ['2001:db8::1'] },
    proxy: undefined,
  },
  ...['http://127.0.0.1:4000/', 'http://localhost:4000/', 'https://[::1]:4000/', 'http://127.1.2.3/', 'http://a.localhost/'].map(
    (url) => ({
      when: `the address is ${url}`,
      url,
      settings: { proxy: CONFIGURED },
      environment: { HTTP_PROXY: INHERITED, HTTPS_PROXY: INHERITED },
      proxy: undefined,
    }),
  ),
];

describe('the proxy of an instance', () => {
  const none = { proxy: undefined, proxySupport: 'override', noProxy: [], proxyAuthorization: null };
  for (const { when, url = REMOTE, settings = {}, environment = {}, proxy } of cases) {
    it(`the proxy of an instance is ${proxy ?? 'none'} when ${when}`, () =>
      assert.equal(proxyFor(url, { ...none, ...settings }, environment)?.url, proxy));
  }

  it('the proxy of an instance is used with its credentials', () => {
    assert.deepEqual(proxyFor(REMOTE, { ...none, proxy: CONFIGURED, proxyAuthorization: 'Basic abc' }, {}), {
      url: CONFIGURED,
      authorization: 'Basic abc',
    });
  });
});
