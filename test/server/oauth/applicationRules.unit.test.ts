import assert from 'node:assert/strict';
import { isUnencryptedRedirect, redirectUriProblem, redirectUrisOf } from '../../../server/features/oauth/applicationRules.ts';

describe('redirect URIs of an application', () => {
  it('redirect URIs of an application are separated by any white space', () => {
    assert.deepEqual(redirectUrisOf(' https://a.example/ \r\n\thttp://b.example/x  https://a.example/'), [
      'https://a.example/',
      'http://b.example/x',
    ]);
    assert.deepEqual(redirectUrisOf(' \n'), []);
  });

  for (const [uri, problem] of [
    ['https://lamps.example/callback', undefined],
    ['https://lamps.example', undefined],
    ['http://127.0.0.1/callback', undefined],
    ['http://[::1]:8080/callback?a=b', undefined],
    ['HTTPS://Lamps.example/callback', undefined],
    ['vscode://signalbox.signalbox/callback', undefined],
    ['com.example.lamps:/callback', undefined],
    ['urn:ietf:wg:oauth:2.0:oob', undefined],
    ['javascript:alert(1)', 'is forbidden by the server.'],
    ['JavaScript://a/%0aalert(1)', 'is forbidden by the server.'],
    ['data:text/html,x', 'is forbidden by the server.'],
    ['vbscript:x', 'is forbidden by the server.'],
    ['file:///etc/passwd', 'is forbidden by the server.'],
    ['blob:https://lamps.example/x', 'is forbidden by the server.'],
    ['https://lamps.example/callback#done', 'cannot contain a fragment.'],
    ['/callback', 'must be an absolute URI.'],
    ['lamps.example/callback', 'must be an absolute URI.'],
    ['//lamps.example/callback', 'must be an absolute URI.'],
    ['localhost:8080/callback', 'must specify a scheme.'],
    ['https:///callback', 'must be a valid URI.'],
    ['https:callback', 'must be a valid URI.'],
    ['http://?a', 'must be a valid URI.'],
    ['https://lamps.example:port/', 'must be a valid URI.'],
    ['https://lämpen.example/', 'must be a valid URI.'],
    ['https://lamps.example/\\@elsewhere.example', 'must be a valid URI.'],
    ['https://lamps.example/"><b>', 'must be a valid URI.'],
  ] as const) {
    it(`the redirect URI ${uri} ${problem ?? 'is valid'}`, () => assert.equal(redirectUriProblem(uri), problem));
  }

  it('http redirect URIs receive codes in plain text unless they are on this machine', () => {
    const clear = [
      'http://lamps.example/',
      'HTTP://10.0.0.1/',
      'http://localhost.example/',
      'http://127.0.0.1.example/',
      'http://127.lamps.example/',
    ];
    const safe = ['https://lamps.example/', 'http://localhost:1/', 'http://127.9.9.9/', 'http://[::1]/', 'lamps:/x'];
    assert.deepEqual([...clear, ...safe].filter(isUnencryptedRedirect), clear);
  });
});
