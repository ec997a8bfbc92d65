import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { projectOfRemote, readGitHosts, readRemotes, sshDestination } from '../../../src/workspace/remotes.ts';

describe('remotes of a git configuration', () => {
  it('remotes of a git configuration are read with origin and upstream first', () => {
    const text = `[core]
\turl = not a remote
[remote "fork"]
\turl = git@gitlab.example.com:ben/relay.git
\tfetch = +refs/heads/*:refs/remotes/fork/*
[remote "upstream"]
  URL=https://gitlab.example.com/up/relay.git
[Remote "origin"]
\tpushurl = https://elsewhere.example/x/y.git
\turl = "https://gitlab.example.com/signals/relay.git"
\turl = https://second.example/x/y.git
[branch "main"]
\tremote = origin
[remote "odd \\"name\\""]
\turl = ssh://git@gitlab.example.com/a/b
`;
    assert.deepEqual(readRemotes(text), [
      { name: 'origin', url: 'https://gitlab.example.com/signals/relay.git' },
      { name: 'upstream', url: 'https://gitlab.example.com/up/relay.git' },
      { name: 'fork', url: 'git@gitlab.example.com:ben/relay.git' },
      { name: 'odd "name"', url: 'ssh://git@gitlab.example.com/a/b' },
    ]);
    assert.deepEqual(readRemotes(''), []);
  });

  const REWRITTEN: readonly [what: string, configuration: string, urls: readonly string[]][] = [
    [
      'by insteadOf',
      '[url "https://gitlab.example.com/"]\ninsteadOf = gl:\n[remote "origin"]\nurl = gl:a/b',
      ['https://gitlab.example.com/a/b', 'gl:a/b'],
    ],
    [
      'by the longest of several',
      '[url "https://one.example/"]\ninsteadOf = gl:\ninsteadOf = gl:a\n[url "https://two.example/"]\ninsteadOf = gl:a/\n[remote "origin"]\nurl = gl:a/b',
      ['https://two.example/b', 'gl:a/b'],
    ],
    [
      'once',
      '[url "gl:"]\ninsteadOf = short:\n[url "https://gitlab.example.com/"]\ninsteadOf = gl:\n[remote "origin"]\nurl = short:a/b',
      ['gl:a/b', 'short:a/b'],
    ],
    ['not by pushInsteadOf', '[url "https://push.example/"]\npushInsteadOf = gl:\n[remote "origin"]\nurl = gl:a/b', ['gl:a/b']],
    ['not after the beginning', '[url "https://x.example/"]\ninsteadOf = a/\n[remote "origin"]\nurl = gl:a/b', ['gl:a/b']],
    [
      'by a base with dots and a quotation mark',
      '[url "ssh://git@a.b.example:22/\\"x\\"/"] insteadOf = gl:\n[remote "origin"] url = gl:a/b',
      ['ssh://git@a.b.example:22/"x"/a/b', 'gl:a/b'],
    ],
  ];
  for (const [what, configuration, urls] of REWRITTEN) {
    it(`the address of a remote is replaced ${what}`, () =>
      assert.deepEqual(
        readRemotes(configuration).map(({ url }) => url),
        urls,
      ));
  }

  const VALUES: readonly [what: string, value: string, url: string][] = [
    ['with a comment', 'https://a.example/b ; of the team', 'https://a.example/b'],
    ['with a comment after a number sign', 'https://a.example/b # x', 'https://a.example/b'],
    ['with a quoted number sign', '"https://a.example/#b"  ', 'https://a.example/#b'],
    ['with a quoted part', 'https://a."exa"mple/b', 'https://a.example/b'],
    ['with quoted white space', '"  a b "', '  a b '],
    ['with escapes', '\\"x\\\\y', '"x\\y'],
    ['on two lines', 'https://a.example\\\n/b', 'https://a.example/b'],
    ['with Windows line ends', 'https://a.example/b\r', 'https://a.example/b'],
  ];
  for (const [what, value, url] of VALUES) {
    it(`a value of a git configuration is read ${what}`, () =>
      assert.deepEqual(readRemotes(`[remote "origin"]\n\turl = ${value}\n[core]\n\tbare = false\n`), [{ name: 'origin', url }]));
  }
});

describe('project of a remote', () => {
  const instance = 'https://gitlab.example.com';
  const cases: readonly [remote: string, instance: string, project: string | undefined][] = [
    ['https://gitlab.example.com/signals/relay.git', instance, 'signals/relay'],
    ['https://ana:secret@GitLab.example.com:443/signals/deep/relay/', instance, 'signals/deep/relay'],
    ['git@gitlab.example.com:signals/relay.git', instance, 'signals/relay'],
    ['gitlab.example.com:signals/relay', instance, 'signals/relay'],
    ['ssh://git@gitlab.example.com:2222/signals/relay.git', `${instance}:8443`, 'signals/relay'],
    ['https://gitlab.example.com/git/signals/relay.git', `${instance}/git`, 'signals/relay'],
    ['https://gitlab.example.com/signals/relay.git', `${instance}/git`, undefined],
    ['http://127.0.0.1:4000/signals/relay.git', 'http://127.0.0.1:4000', 'signals/relay'],
    ['http://localhost:4000/signals/relay.git', 'http://127.0.0.1:4000', 'signals/relay'],
    ['http://127.0.0.1:4001/signals/relay.git', 'http://127.0.0.1:4000', undefined],
    ['http://127.8.9.10:4000/signals/relay.git', 'http://[::1]:4000', 'signals/relay'],
    ['http://localhost.:4000/signals/relay.git', 'http://LOCALHOST:4000', 'signals/relay'],
    ['http://[0:0:0:0:0:0:0:1]:4000/signals/relay.git', 'http://127.1:4000', 'signals/relay'],
    ['http://[::ffff:127.0.0.1]:4000/signals/relay.git', 'http://localhost:4000', 'signals/relay'],
    ['ssh://git@[::1]:2222/signals/relay.git', 'http://localhost:4000', 'signals/relay'],
    ['git@[::1]:signals/relay.git', 'http://localhost:4000', 'signals/relay'],
    ['git@127.0.0.1:signals/relay.git', 'http://localhost:4000', 'signals/relay'],
    ['http://127.corp.example:4000/signals/relay.git', 'http://localhost:4000', undefined],
    ['http://127.0.0.1.corp.example:4000/signals/relay.git', 'http://localhost:4000', undefined],
    ['http://localhost.corp.example:4000/signals/relay.git', 'http://localhost:4000', undefined],
    ['http://app.localhost:4000/signals/relay.git', 'http://localhost:4000', undefined],
    ['ssh://git@altssh.gitlab.com:443/signals/relay.git', 'https://gitlab.com', 'signals/relay'],
    ['git@altssh.gitlab.com:signals/relay.git', 'https://gitlab.com', 'signals/relay'],
    ['ssh://git@altssh.gitlab.com:443/signals/relay.git', instance, undefined],
    ['[git@gitlab.example.com:2222]:signals/relay.git', instance, 'signals/relay'],
    ['[gitlab.example.com:2222]:signals/relay.git', instance, 'signals/relay'],
    ['git+ssh://git@gitlab.example.com./signals/relay.git', instance, 'signals/relay'],
    ['ssh+git://git@GITLAB.example.com/signals/relay.git', instance, 'signals/relay'],
    ['http://gitlab.example.com/signals/relay.git', instance, 'signals/relay'],
    ['http://gitlab.example.com:8080/signals/relay.git', instance, undefined],
    ['git@gitlab.bücher.example:signals/relay.git', 'https://gitlab.xn--bcher-kva.example', 'signals/relay'],
    ['https://elsewhere.example/signals/relay.git', instance, undefined],
    ['https://gitlab.example.com.evil.example/signals/relay.git', instance, undefined],
    ['git@elsewhere.example:signals/relay.git', instance, undefined],
    ['https://gitlab.example.com/relay.git', instance, undefined],
    ['https://gitlab.example.com/signals/../relay', instance, undefined],
    ['https://gitlab.example.com/signals/%2E%2E/x/%2e%2e', instance, undefined],
    ['git@gitlab.example.com:../relay.git', instance, undefined],
    ['file:///home/ana/relay.git', instance, undefined],
    ['/home/ana/relay.git', instance, undefined],
    ['C:\\code\\relay.git', instance, undefined],
    ['', instance, undefined],
  ];
  for (const [remote, instance, project] of cases) {
    it(`the project of ${remote} on ${instance} is ${project ?? 'none'}`, () => {
      assert.equal(projectOfRemote(remote, instance), project);
    });
  }

  const gitHosts = readGitHosts({
    'ssh.corp.example': 'https://gitlab.example.com',
    'git@Proxy.corp.example:8443': 'https://gitlab.example.com/git/',
    'gitlab.com': 'https://mirror.example',
    localhost: 'https://gitlab.example.com',
  });
  const mapped: readonly [remote: string, instance: string, project: string | undefined][] = [
    ['git@ssh.corp.example:signals/relay.git', instance, 'signals/relay'],
    ['ssh://git@SSH.corp.example:2222/signals/relay.git', instance, 'signals/relay'],
    ['https://ssh.corp.example/signals/relay.git', instance, 'signals/relay'],
    ['https://proxy.corp.example:8443/git/signals/relay.git', `${instance}/git`, 'signals/relay'],
    ['https://proxy.corp.example:8443/signals/relay.git', `${instance}/git`, 'signals/relay'],
    ['https://proxy.corp.example/signals/relay.git', `${instance}/git`, undefined],
    ['git@ssh.corp.example:signals/relay.git', 'https://other.example.com', undefined],
    ['git@gitlab.com:signals/relay.git', 'https://gitlab.com', undefined],
    ['git@127.0.0.1:signals/relay.git', instance, 'signals/relay'],
    ['git@gitlab.example.com:signals/relay.git', instance, 'signals/relay'],
  ];
  for (const [remote, at, project] of mapped) {
    it(`with hosts from the setting, the project of ${remote} on ${at} is ${project ?? 'none'}`, () =>
      assert.equal(projectOfRemote(remote, at, gitHosts), project));
  }

  for (const value of [undefined, null, [], 'x', { 'a.example': 1 }, { 'a.example': 'b.example' }, { '': 'https://b.example' }]) {
    it(`the setting with hosts of remotes is empty if its value is ${JSON.stringify(value)}`, () =>
      assert.equal(readGitHosts(value).size, 0));
  }

  const destinations: readonly [remote: string, destination: unknown][] = [
    ['git@work:a/b', { user: 'git', host: 'work', port: undefined }],
    ['ssh://work:2222/a/b', { user: undefined, host: 'work', port: '2222' }],
    ['https://work/a/b', undefined],
    ['ssh://-oProxyCommand=x/a/b', undefined],
    ['-oProxyCommand=x:a/b', undefined],
    ['ssh://-x@work/a/b', undefined],
    ['ssh://$(x)/a/b', undefined],
    ['/home/ana/relay.git', undefined],
  ];
  for (const [remote, destination] of destinations) {
    it(`ssh ${destination === undefined ? 'is not asked' : 'is asked'} about the host of ${remote}`, () =>
      assert.deepEqual(sshDestination(remote), destination));
  }
});
