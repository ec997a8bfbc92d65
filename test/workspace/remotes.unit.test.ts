import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { projectOfRemote, readRemotes } from '../../src/workspace/remotes.ts';

describe('remotes of a git configuration', () => {
  it('are read with origin and upstream first', () => {
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
});

describe('project of a remote', () => {
  const home = 'https://gitlab.example.com';
  const cases: readonly [remote: string, instance: string, project: string | undefined][] = [
    ['https://gitlab.example.com/signals/relay.git', home, 'signals/relay'],
    ['https://ana:secret@GitLab.example.com:443/signals/deep/relay/', home, 'signals/deep/relay'],
    ['git@gitlab.example.com:signals/relay.git', home, 'signals/relay'],
    ['gitlab.example.com:signals/relay', home, 'signals/relay'],
    ['ssh://git@gitlab.example.com:2222/signals/relay.git', `${home}:8443`, 'signals/relay'],
    ['https://gitlab.example.com/git/signals/relay.git', `${home}/git`, 'signals/relay'],
    ['https://gitlab.example.com/signals/relay.git', `${home}/git`, undefined],
    ['http://127.0.0.1:4000/signals/relay.git', 'http://127.0.0.1:4000', 'signals/relay'],
    ['http://localhost:4000/signals/relay.git', 'http://127.0.0.1:4000', 'signals/relay'],
    ['http://127.0.0.1:4001/signals/relay.git', 'http://127.0.0.1:4000', undefined],
    ['https://elsewhere.example/signals/relay.git', home, undefined],
    ['https://gitlab.example.com.evil.example/signals/relay.git', home, undefined],
    ['git@elsewhere.example:signals/relay.git', home, undefined],
    ['https://gitlab.example.com/relay.git', home, undefined],
    ['https://gitlab.example.com/signals/../relay', home, undefined],
    ['https://gitlab.example.com/signals/%2E%2E/x/%2e%2e', home, undefined],
    ['git@gitlab.example.com:../relay.git', home, undefined],
    ['file:///home/ana/relay.git', home, undefined],
    ['/home/ana/relay.git', home, undefined],
    ['C:\\code\\relay.git', home, undefined],
    ['', home, undefined],
  ];
  for (const [remote, instance, project] of cases) {
    it(`${remote} on ${instance} is ${project ?? 'none'}`, () => {
      assert.equal(projectOfRemote(remote, instance), project);
    });
  }
});
