import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { projectOfRemote, readRemotes } from '../../../src/workspace/remotes.ts';

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
});
