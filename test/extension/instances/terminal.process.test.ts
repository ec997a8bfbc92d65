import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type TerminalEnvironment, terminalEnvironment } from '../../../src/instances/terminalEnvironment.ts';
import { testEnvironment } from '../../support/environment.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

const ADDRESS = 'http://127.0.0.1:4000/platform';
const oauth = { accessToken: 'token-of-ana', isPersonal: false };
const personal = { accessToken: 'glpat-of-ana', isPersonal: true };

describe('the environment of a terminal', () => {
  it('the environment of a terminal contains address and OAuth token in the variables of glab, python-gitlab and the Ruby gem', () => {
    const { GIT_CONFIG_COUNT: _, ...names } = terminalEnvironment(ADDRESS, oauth, {});
    assert.deepEqual(Object.fromEntries(Object.entries(names).filter(([name]) => !name.startsWith('GIT_CONFIG'))), {
      SIGNALBOX_URL: ADDRESS,
      SIGNALBOX_TOKEN: 'token-of-ana',
      GITLAB_HOST: '127.0.0.1:4000',
      GITLAB_API_HOST: '127.0.0.1:4000/platform',
      API_PROTOCOL: 'http',
      GITLAB_TOKEN: 'token-of-ana',
      GLAB_IS_OAUTH2: 'true',
      GITLAB_URL: ADDRESS,
      CI_SERVER_URL: ADDRESS,
      GITLAB_PRIVATE_TOKEN: null,
      GITLAB_OAUTH_TOKEN: 'token-of-ana',
      GITLAB_API_ENDPOINT: `${ADDRESS}/api/v4`,
      GITLAB_API_PRIVATE_TOKEN: 'token-of-ana',
      GITLAB_ACCESS_TOKEN: null,
      OAUTH_TOKEN: null,
      JOB_TOKEN: null,
      CI_JOB_TOKEN: null,
      IS_OAUTH2: null,
      GLAB_ENABLE_CI_AUTOLOGIN: null,
      GITLAB_SUBFOLDER: null,
    });
  });

  it('the environment of a terminal contains a personal access token in the variables for such tokens', () => {
    const names = terminalEnvironment(ADDRESS, personal, {});
    assert.deepEqual(
      [names['GITLAB_PRIVATE_TOKEN'], names['GITLAB_OAUTH_TOKEN'], names['GLAB_IS_OAUTH2']],
      ['glpat-of-ana', null, null],
    );
  });

  it('the environment of a terminal contains no token in settings that git shows or runs', () => {
    const names = terminalEnvironment(ADDRESS, oauth, {});
    for (const [name, value] of Object.entries(names)) {
      if (name.startsWith('GIT_CONFIG')) assert.doesNotMatch(value ?? '', /token-of-ana/);
    }
  });

  it('the environment of a terminal keeps inherited git settings', () => {
    const inherited = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Ana' };
    const names = terminalEnvironment(ADDRESS, oauth, inherited);
    assert.deepEqual([names['GIT_CONFIG_COUNT'], names['GIT_CONFIG_KEY_0']], ['3', undefined]);
    assert.match(names['GIT_CONFIG_KEY_2'] ?? '', /^credential\./);
  });

  describe('with git', () => {
    let folder: ReturnType<typeof temporaryFolder>;
    beforeEach(() => {
      folder = temporaryFolder();
    });
    afterEach(() => folder[Symbol.dispose]());

    function fill(environment: TerminalEnvironment, url: string): string {
      const given = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== null);
      const { stdout } = spawnSync('git', ['credential', 'fill'], {
        input: `url=${url}\n\n`,
        encoding: 'utf8',
        cwd: folder.path,
        env: testEnvironment(['git'], { HOME: folder.path, ...Object.fromEntries(given) }),
      });
      return stdout;
    }

    it('the git helper of a terminal provides the token for the address', () => {
      const names = terminalEnvironment(ADDRESS.replace('/platform', ''), oauth, {});
      const response = fill(names, 'http://127.0.0.1:4000/root/relay.git');
      assert.match(response, /^username=oauth2$/m);
      assert.match(response, /^password=token-of-ana$/m);
    });

    it('the git helper of a terminal provides the token for an instance under a path if git uses paths', () => {
      const inherited = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'credential.useHttpPath', GIT_CONFIG_VALUE_0: 'true' };
      const names = { ...inherited, ...terminalEnvironment(ADDRESS, oauth, inherited) };
      assert.match(fill(names, `${ADDRESS}/root/relay.git`), /^password=token-of-ana$/m);
    });

    for (const url of [
      'http://127.0.0.1:4001/root/relay.git',
      'https://127.0.0.1:4000/root/relay.git',
      'https://example.com/x.git',
    ]) {
      it(`the git helper of a terminal provides no token for ${url}`, () => {
        const names = terminalEnvironment(ADDRESS.replace('/platform', ''), oauth, {});
        assert.doesNotMatch(fill(names, url), /token-of-ana/);
      });
    }
  });
});
