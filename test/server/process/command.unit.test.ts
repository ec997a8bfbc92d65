import assert from 'node:assert/strict';
import { parseCommand } from '../../../server/process/command.ts';
import { compiledFolder, defaultDataFolder } from '../../../server/process/dataFolder.ts';
import { Fatal } from '../../../server/core/fatal.ts';
import { defaultProfile, isAvailable } from '../../../server/core/profile.ts';
import { checkRuntime, nativeTarget, type Runtime } from '../../../server/process/runtime.ts';

function refusal(...args: string[]): { message: string; hint: string; exitCode: number } {
  try {
    parseCommand(args);
  } catch (error) {
    assert.ok(error instanceof Fatal);
    assert.equal(error.code, 'usage');
    return { message: error.message, hint: error.hint, exitCode: error.exitCode };
  }
  assert.fail('the command was accepted');
}

describe('the command line', () => {
  it('the command line uses safe defaults', () => {
    assert.deepEqual(parseCommand(['serve']), {
      kind: 'serve',
      port: 0,
      host: '127.0.0.1',
      allowRemote: false,
      dataDir: undefined,
      memory: false,
      seed: 'none',
      reset: false,
      restore: undefined,
      publicUrl: undefined,
      release: '18.11',
      tier: 'ultimate',
      offering: 'self-managed',
      dialect: 'documented',
      dependencyProxyUpstream: undefined,
      allowPlainPkce: false,
      smtp: undefined,
      smtpPasswordFile: undefined,
      logLevel: 'info',
      stdinHandshake: false,
      storages: new Map(),
      packLimits: { object: 104_857_600, total: 10_737_418_240 },
    });
  });

  const smtpUrls: readonly (readonly [args: readonly string[], expected: object])[] = [
    [['smtp://mail.example'], { host: 'mail.example', port: 587, secure: false, user: undefined, from: undefined }],
    [['smtps://ada%40b@[::1]'], { host: '::1', port: 465, secure: true, user: 'ada@b', from: undefined }],
    [['smtp://localhost:25?from=lab@b.example'], { host: 'localhost', port: 25, from: 'lab@b.example' }],
    [['smtp://localhost?from=lab@b.example', '--smtp-from', 'c@d.example'], { from: 'c@d.example' }],
  ];
  for (const [[url, ...more], expected] of smtpUrls) {
    it(`the command line reads the SMTP server ${url} ${more.join(' ')}`, () => {
      assert.partialDeepStrictEqual(parseCommand(['serve', '--smtp-url', url ?? '', ...more]), { smtp: expected });
    });
  }

  const badSmtp: readonly (readonly [args: readonly string[], message: string])[] = [
    [['--smtp-url', 'mail.example'], 'The value of --smtp-url is no URL such as smtp://user@host:587.'],
    [['--smtp-url', 'http://mail.example'], 'The value of --smtp-url is no URL such as smtp://user@host:587.'],
    [['--smtp-url', 'smtp://ada:pass@mail.example'], 'The value of --smtp-url must not contain a password.'],
    [['--smtp-url', 'smtp://mail.example/inbox'], 'The value of --smtp-url must not contain a path.'],
    [['--smtp-url', 'smtp://mail.example?pool=1'], 'The value of --smtp-url contains the unknown parameter pool.'],
    [['--smtp-url', 'smtp://a.example', '--smtp-from', 'nobody'], '--smtp-from nobody is not an email address.'],
    [['--smtp-from', 'a@b.example'], '--smtp-from and --smtp-password-file require --smtp-url.'],
  ];
  for (const [args, message] of badSmtp) {
    it(`the command line refuses ${args.join(' ')}`, () => {
      const { message: text, exitCode } = refusal('serve', ...args);
      assert.deepEqual([text, exitCode], [message, 2]);
    });
  }

  it('the command line starts with no data, demo data or a seed file', () => {
    assert.partialDeepStrictEqual(parseCommand(['serve', '--seed', 'demo']), { seed: 'demo' });
    for (const file of ['./harbour', 'harbour.yaml', '/tmp/harbour.json', 'seeds/demo'])
      assert.deepEqual(parseCommand(['serve', '--seed', file]), { ...parseCommand(['serve']), seed: { file } });
    assert.deepEqual(refusal('serve', '--seed', 'dmeo'), {
      message: 'Invalid value for --seed: dmeo. Use none, demo, or a file such as ./harbour.yaml.',
      hint: 'Did you mean demo? See signalbox --help.',
      exitCode: 2,
    });
  });

  it('the command line adds a seed file to a server or a folder', () => {
    const plain = { kind: 'seed', file: 'a.yaml', dataDir: undefined, server: undefined, logLevel: 'info' };
    assert.deepEqual(parseCommand(['seed', 'a.yaml']), plain);
    assert.deepEqual(parseCommand(['seed', '--data=x', 'a.yaml']), { ...plain, dataDir: 'x' });
    const server = 'http://127.0.0.1:8080';
    assert.deepEqual(parseCommand(['seed', 'a.yaml', '--server', server, '--log-level', 'error']), {
      ...plain,
      server,
      logLevel: 'error',
    });
    assert.match(refusal('seed').message, /requires the path of a seed file/);
    assert.match(refusal('seed', 'a', 'b').message, /Unexpected argument after the seed file: b/);
    assert.match(refusal('seed', 'a', '--port', '1').message, /--port is an option of serve/);
    assert.match(refusal('serve', '--server', server).message, /--server is an option of seed/);
    assert.match(refusal('seed', 'a', '--server', server, '--data', 'x').message, /cannot be used together/);
    assert.match(refusal('seed', 'a', '--server', 'ftp://x').message, /--server ftp:\/\/x is not an http or https address/);
    assert.match(refusal('sed', 'a').hint, /Did you mean seed/);
  });

  it('the command line takes an upstream of the dependency proxy on this machine only', () => {
    for (const [url, origin] of [
      ['http://127.0.0.1:5000', 'http://127.0.0.1:5000'],
      ['https://localhost/', 'https://localhost'],
      ['http://[::1]:5000', 'http://[::1]:5000'],
    ]) {
      const command = parseCommand(['serve', '--dependency-proxy-upstream', url ?? '']);
      assert.partialDeepStrictEqual(command, { dependencyProxyUpstream: origin });
    }
    for (const url of ['https://registry.example', 'http://127.0.0.1.example', '127.0.0.1:5000', 'http://localhost/v2']) {
      assert.throws(() => parseCommand(['serve', '--dependency-proxy-upstream', url]), { code: 'usage' }, url);
    }
  });

  it('the command line takes limits of pushes in MiB', () => {
    assert.partialDeepStrictEqual(parseCommand(['serve', '--max-object-size', '1', '--max-unpacked-size=2048']), {
      packLimits: { object: 1_048_576, total: 2_147_483_648 },
    });
    for (const size of ['0', '-1', '1.5', '100M', '', 'x', '1e3', '99999999999']) {
      const message = `is not a number of MiB from 1 to 1073741824.`;
      assert.equal(refusal('serve', `--max-object-size=${size}`).message, `--max-object-size ${size} ${message}`);
      assert.equal(refusal('serve', `--max-unpacked-size=${size}`).message, `--max-unpacked-size ${size} ${message}`);
    }
    assert.match(refusal('seed', 'a', '--max-object-size', '1').message, /--max-object-size is an option of serve/);
  });

  it('the command line accepts plain PKCE with --allow-plain-pkce', () => {
    assert.partialDeepStrictEqual(parseCommand(['serve', '--allow-plain-pkce']), { allowPlainPkce: true });
  });

  it('the command line suggests the nearest known option for an unknown one, with exit code 2', () => {
    assert.deepEqual(refusal('serve', '--prot', '5'), {
      message: 'Unknown option --prot.',
      hint: 'Did you mean --port? See signalbox --help.',
      exitCode: 2,
    });
    assert.match(refusal('server').hint, /serve/);
    assert.match(refusal('serve', '--dialect=observd').hint, /observed/);
  });

  it('the command line accepts every release from 15.1 to 20.0, every tier and every offering', () => {
    for (const release of ['15.1', '15.11', '16.0', '18.11', '19.11', '20.0'])
      assert.partialDeepStrictEqual(parseCommand(['serve', '--release', release]), { release });
    for (const release of ['15.0', '15.12', '20.1', '18', '18.011', '14.10', 'latest', ''])
      assert.match(refusal('serve', `--release=${release}`).message, /Allowed: 15\.1 to 20\.0\./, release);
    assert.deepEqual(refusal('serve', '--release', '18.111'), {
      message: 'Invalid value for --release: 18.111. Allowed: 15.1 to 20.0.',
      hint: 'Did you mean 18.11? See signalbox --help.',
      exitCode: 2,
    });
    assert.partialDeepStrictEqual(parseCommand(['serve', '--tier=free', '--offering=dedicated']), {
      tier: 'free',
      offering: 'dedicated',
    });
    assert.match(refusal('serve', '--tier', 'premum').hint, /premium/);
    assert.match(refusal('serve', '--offering', 'multitenant').hint, /multi-tenant/);
    assert.match(refusal('serve', '--relase', '18.0').hint, /--release/);
  });

  it('the command line refuses a non-loopback address without --allow-remote', () => {
    assert.match(refusal('serve', '--host', '0.0.0.0').hint, /--allow-remote/);
    assert.partialDeepStrictEqual(parseCommand(['serve', '--host', '0.0.0.0', '--allow-remote']), { host: '0.0.0.0' });
    for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1'])
      assert.partialDeepStrictEqual(parseCommand(['serve', '--host', host]), { host });
  });

  it('the command line refuses invalid values and combinations', () => {
    for (const args of [
      ['--port', '70000'],
      ['--port', 'x'],
      ['--memory', '--data', 'd'],
      ['--memory', '--reset'],
      ['--memory', '--restore', 'monday'],
      ['--reset', '--restore', 'monday'],
      ['--restore', '../monday'],
      ['--restore', ''],
      ['--public-url', 'ftp://x'],
      ['--public-url', 'http://x/path'],
      ['--seed', 'big'],
      ['extra'],
      ['--port'],
    ]) {
      assert.equal(refusal('serve', ...args).exitCode, 2, args.join(' '));
    }
  });

  it('the command line prints --help and --version without a command', () => {
    assert.match(JSON.stringify(parseCommand(['--help'])), /Usage: signalbox serve/);
    assert.match(JSON.stringify(parseCommand(['--version'])), /"\d+\.\d+\.\d+"/);
  });
});

describe('the default data folder', () => {
  it('the default data folder follows the convention of each operating system', () => {
    assert.equal(defaultDataFolder({}, 'linux', '/h'), '/h/.local/share/signalbox');
    assert.equal(defaultDataFolder({ XDG_DATA_HOME: '/x' }, 'linux', '/h'), '/x/signalbox');
    assert.equal(defaultDataFolder({ XDG_DATA_HOME: 'relative' }, 'linux', '/h'), '/h/.local/share/signalbox');
    assert.equal(defaultDataFolder({}, 'darwin', '/h'), '/h/Library/Application Support/Signalbox');
    assert.match(defaultDataFolder({ LOCALAPPDATA: 'L' }, 'win32', 'h'), /^L.Signalbox.data$/);
  });

  it('the default data folder differs from the cache folder of compiled code', () => {
    assert.equal(compiledFolder({}, 'linux', '/h'), '/h/.cache/signalbox/compiled');
    assert.equal(compiledFolder({ XDG_CACHE_HOME: '/x' }, 'linux', '/h'), '/x/signalbox/compiled');
    assert.equal(compiledFolder({ XDG_CACHE_HOME: 'relative' }, 'linux', '/h'), '/h/.cache/signalbox/compiled');
    assert.equal(compiledFolder({}, 'darwin', '/h'), '/h/Library/Caches/Signalbox/compiled');
    assert.match(compiledFolder({ LOCALAPPDATA: 'L' }, 'win32', 'h'), /^L.Signalbox.compiled$/);
  });
});

describe('the runtime is checked before the database is loaded', () => {
  const good: Runtime = { nodeVersion: '24.0.0', napi: 10, platform: 'linux', arch: 'x64', glibc: '2.36' };
  const code = (runtime: Partial<Runtime>): string => {
    try {
      checkRuntime({ ...good, ...runtime });
      return 'accepted';
    } catch (error) {
      return error instanceof Fatal ? error.code : 'another error';
    }
  };
  it('an unsupported Node, operating system or glibc is reported before the database is loaded', () => {
    assert.equal(code({}), 'accepted');
    assert.equal(code({ napi: 9, nodeVersion: '20.20.2' }), 'node_too_old');
    assert.equal(code({ arch: 'arm' }), 'platform_unsupported');
    assert.equal(code({ platform: 'freebsd' }), 'platform_unsupported');
    assert.equal(code({ glibc: '2.28' }), 'glibc_too_old');
    assert.equal(code({ glibc: '2.34' }), 'accepted');
    assert.equal(code({ glibc: undefined }), 'accepted');
  });
  it('musl is recognized by the missing glibc version', () => {
    assert.equal(nativeTarget(good), 'linux-x64');
    assert.equal(nativeTarget({ ...good, glibc: undefined }), 'linuxmusl-x64');
    assert.equal(nativeTarget({ ...good, platform: 'darwin', arch: 'arm64', glibc: undefined }), 'darwin-arm64');
  });
});

describe('the availability of a feature', () => {
  const at = (release: `${number}.${number}`) => ({ ...defaultProfile, release });
  it('the availability of a feature starts at the first release and ends before the release that removes the feature', () => {
    const row = { addedIn: '16.5', removedIn: '19.0' } as const;
    assert.deepEqual(
      (['16.4', '16.5', '16.11', '18.11', '19.0'] as const).map((release) => isAvailable(row, at(release))),
      [false, true, true, true, false],
    );
  });
  it('the availability of a feature is limited to the named tiers and offerings', () => {
    assert.equal(isAvailable({ tiers: ['premium', 'ultimate'] }, { ...defaultProfile, tier: 'free' }), false);
    assert.equal(isAvailable({ offerings: ['self-managed'] }, { ...defaultProfile, offering: 'multi-tenant' }), false);
    assert.equal(isAvailable({}, defaultProfile), true);
  });
});
