import assert from 'node:assert/strict';
import { makeDsn } from '../../../src/contract/dsn.ts';
import { findDsns, isOfInstance, mayHoldDsn, replacementOf } from '../../../src/dsn/find.ts';

const KEY = 'glet_0123456789abcdef0123456789abcdef';
const DSN = makeDsn('https://gitlab.example.com', KEY, 7);
const HOSTED = `https://${KEY}@observe.gitlab.example:443/errortracking/api/v1/projects/52`;
const LOCAL = makeDsn('http://127.0.0.1:8080', KEY, 1);
const REST = DSN.slice('https://'.length);

/** Text in which one DSN is found, and the DSN if it is not the usual one. */
const found: readonly (readonly [what: string, text: string, dsn?: string])[] = [
  ['.env', `SENTRY_DSN=${DSN}`],
  ['.env with a comment', `SENTRY_DSN=${DSN} # of the shop`],
  ['.env with double quotes', `SENTRY_DSN="${DSN}"`],
  ['.env with single quotes', `SENTRY_DSN='${DSN}'\r\nNODE_ENV=test`],
  ['.env with export', `export SENTRY_DSN=${DSN}\n`],
  ['.env of a local server', `SENTRY_DSN=${LOCAL}`, LOCAL],
  ['.env of a hosted instance', `SENTRY_DSN=${HOSTED}`, HOSTED],
  ['shell', `SENTRY_DSN=${DSN} node server.js`],
  ['PowerShell', `$env:SENTRY_DSN = "${DSN}"`],
  ['cmd', `set SENTRY_DSN=${DSN}\r\n`],
  ['Dockerfile', `ENV SENTRY_DSN=${DSN}`],
  ['docker run', `docker run -e SENTRY_DSN=${DSN} shop`],
  ['YAML', `dsn: ${DSN}\nrelease: 1`],
  ['YAML of Kubernetes', `- name: SENTRY_DSN\n  value: "${DSN}"`],
  ['YAML list', `- ${DSN}`],
  ['TOML', `dsn = "${DSN}"`],
  ['INI', `[sentry]\ndsn=${DSN}\n`],
  ['Java properties', `sentry.dsn=${DSN}`],
  ['Java properties with a colon', `dsn:${DSN}`],
  ['JSON', `{"dsn": "${DSN}"}`],
  ['JSON with escaped slashes', JSON.stringify({ dsn: DSN }).replaceAll('/', '\\/')],
  ['JSON with a comma after it', `["${DSN}","a"]`],
  ['XML', `<dsn>${DSN}</dsn>`],
  ['XML attribute', `<meta-data android:name="io.sentry.dsn" android:value="${DSN}" />`],
  ['HTML', `<script data-dsn='${DSN}'></script>`],
  ['JavaScript', `Sentry.init({ dsn: '${DSN}' });`],
  ['JavaScript template without values', `Sentry.init({ dsn: \`${DSN}\` });`],
  ['JavaScript with a fallback', `const dsn = process.env.SENTRY_DSN ?? "${DSN}";`],
  ['Python', `sentry_sdk.init(dsn="${DSN}", release="1")`],
  ['Python raw', `sentry_sdk.init(r'${DSN}')`],
  ['Go', `sentry.Init(sentry.ClientOptions{Dsn: "${DSN}"})`],
  ['Go raw', `Dsn: \`${DSN}\`,`],
  ['Java', `options.setDsn("${DSN}");`],
  ['Kotlin', `options.dsn = "${DSN}"`],
  ['PHP', `\\Sentry\\init(['dsn' => '${DSN}']);`],
  ['Ruby', `config.dsn = '${DSN}'`],
  ['Ruby with %q', `config.dsn = %q(${DSN})`],
  ['Rust', `sentry::init(("${DSN}", sentry::ClientOptions::default()))`],
  ['Elixir', `config :sentry, dsn: "${DSN}"`],
  ['C#', `o.Dsn = "${DSN}";`],
  ['Markdown', `Send to <${DSN}>, please.`],
  ['a sentence', `The DSN is ${DSN}.`],
  ['parentheses', `(see ${DSN})`],
  [
    'IPv6',
    `dsn=http://${KEY}@[::1]:3000/api/v4/error_tracking/collector/3`,
    `http://${KEY}@[::1]:3000/api/v4/error_tracking/collector/3`,
  ],
  ['instance below a path', makeDsn('https://example.com/git', KEY, 12), makeDsn('https://example.com/git', KEY, 12)],
  [
    'secret after the key',
    `https://${KEY}:0123@gitlab.example.com/api/v4/error_tracking/collector/7`,
    `https://${KEY}:0123@gitlab.example.com/api/v4/error_tracking/collector/7`,
  ],
  ['another key with the path of the platform', DSN.replace(KEY, 'a1b2c3d4'), DSN.replace(KEY, 'a1b2c3d4')],
  ['no path', `https://${KEY}@errors.example.com/9`, `https://${KEY}@errors.example.com/9`],
  // Set-ups of SDKs in their repositories, with a DSN of the platform.
  ['README.md of sentry-python', `sentry_sdk.init(\n    "${DSN}",  # Your DSN here\n\n    traces_sample_rate=1.0,\n)`],
  [
    'README.md of sentry-rust',
    `let _guard = sentry::init("${DSN}");\nsentry::capture_message("Hello World!", sentry::Level::Info);`,
  ],
  ['logback.xml of sentry-java', `<options>\n  <debug>true</debug>\n  <dsn>${DSN}</dsn>\n  <contextTag>userId</contextTag>`],
  ['log4j2.xml of sentry-java', `<Sentry name="Sentry"\n        dsn="${DSN}"\n        minimumEventLevel="WARN"`],
  ['AndroidManifest.xml of sentry-java', `<meta-data\n  android:name="io.sentry.dsn"\n  android:value="${DSN}" />`],
  ['sentry.properties of sentry-java', `# NOTE: Replace the test DSN below\ndsn=${DSN}\ntraces-sample-rate=1.0\n`],
  ['README.md of sentry-java', `SENTRY_DSN="${DSN}" SENTRY_DEBUG=true ../../gradlew bootRunWithAgent`],
  ['main.go of sentry-go', `client1, _ := sentry.NewClient(sentry.ClientOptions{\n\tDsn: "${DSN}",\n\tBeforeSend: func(`],
  ['build.yml of sentry-javascript', `  E2E_TEST_DSN: '${DSN}'\n  # Needed because some apps expect a certain prefix\n`],
  ['changelog of sentry-javascript', `SENTRY_DSN=${DSN} node --import=@sentry/node/init app.mjs`],
];

const absent: readonly (readonly [what: string, text: string])[] = [
  ['DSN of another service', 'https://examplePublicKey@o0.ingest.sentry.io/42'],
  ['DSN of another service with a key in hexadecimal', 'https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/42'],
  ['DSN in README.md of sentry-python', '"https://12927b5f211046b575ee51fd8b1ac34f@o1.ingest.sentry.io/1",  # Your DSN here'],
  ['DSN in README.md of sentry-rust', 'let _guard = sentry::init("https://key@sentry.io/42");'],
  ['DSN in main.go of sentry-go', 'Dsn: "https://hello@example.com/1337",'],
  ['DSN in .env.example of sentry-ruby', 'SENTRY_DSN="http://user:pass@sentry.localhost/project/42"'],
  ['DSN in ClientTest.php of sentry-php', "ClientBuilder::create(['dsn' => 'http://public:secret@example.com/1'])"],
  ['DSN in build.yml of sentry-javascript', "E2E_TEST_DSN: 'https://username@domain/123'"],
  ['git remote with a token', `https://oauth2:glpat-0123456789@gitlab.example.com/group/7`],
  ['address without a key', DSN.replace(`${KEY}@`, '')],
  [
    'address of the ingestion endpoint',
    `https://gitlab.example.com/api/v4/error_tracking/collector/api/7/envelope/?sentry_key=${KEY}`,
  ],
  ['key alone', KEY],
  ['another scheme', `postgres://${REST}`],
  ['scheme with a prefix', `git+https://${REST}`],
  ['template with the key as a value', 'https://${KEY}@gitlab.example.com/api/v4/error_tracking/collector/7'],
  ['template with the host as a value', `https://${KEY}@\${HOST}/api/v4/error_tracking/collector/7`],
  ['template with the project as a value', `https://${KEY}@gitlab.example.com/api/v4/error_tracking/collector/\${PROJECT}`],
  ['template after the project', `${DSN}\${SUFFIX}`],
  ['placeholder of the key', 'https://<key>@gitlab.example.com/api/v4/error_tracking/collector/7'],
  ['placeholder of the project', `https://${KEY}@gitlab.example.com/api/v4/error_tracking/collector/<id>`],
  ['path after the project', `${DSN}/envelope`],
  ['file name after the project', `${DSN}.json`],
  ['name that begins with a number', `${DSN}abc`],
  ['query', `${DSN}?x=1`],
  ['fragment', `${DSN}#x`],
  ['project 0', DSN.replace(/7$/, '0')],
  ['project with too many digits', DSN.replace(/7$/, '7'.repeat(16))],
  ['hyphen in the key', DSN.replace(KEY, 'glet-0123456789abcdef')],
  ['path of the API of client keys', 'https://gitlab.example.com/api/v4/projects/7/error_tracking/client_keys/1'],
  ['email address', `mailto:${KEY}@gitlab.example.com`],
  ['text without a scheme', REST],
  ['concatenation', `'https://' + '${REST}'`],
];

describe('DSNs in texts', () => {
  for (const [what, text, dsn = DSN] of found) {
    it(`DSNs in texts are found: ${what}`, () => {
      assert.ok(mayHoldDsn(text));
      const all = findDsns(text);
      assert.deepEqual(
        all.map((one) => one.text),
        [dsn],
      );
      const [one] = all;
      assert.ok(one !== undefined);
      assert.equal(text.slice(one.start, one.end), replacementOf(one, dsn));
    });
  }

  for (const [what, text] of absent) {
    it(`DSNs in texts are not found where there is none: ${what}`, () => {
      assert.deepEqual(findDsns(text), []);
    });
  }

  it('DSNs in texts are found one after another', () => {
    const text = `A=${DSN}\nB=${LOCAL}\nC=https://other@example.com/1\nD=${HOSTED}`;
    assert.deepEqual(
      findDsns(text).map((one) => one.text),
      [DSN, LOCAL, HOSTED],
    );
  });

  it('DSNs in texts are found quickly, also where much looks like one', () => {
    const text = `http://${'a'.repeat(300)}@`.repeat(3000) + `${DSN.slice(0, -1)}/`.repeat(2000);
    assert.deepEqual(findDsns(text), []);
  });

  it('the instance of a DSN is that with its address, with the path of either generation', () => {
    const [local, hosted, below] = [LOCAL, HOSTED, makeDsn('https://example.com/git', KEY, 12)].map(
      (dsn) => findDsns(dsn)[0]?.dsn,
    );
    assert.ok(local !== undefined && hosted !== undefined && below !== undefined);
    assert.deepEqual(
      [
        isOfInstance(local, 'http://127.0.0.1:8080'),
        isOfInstance(local, 'http://127.0.0.1:8081'),
        isOfInstance(hosted, 'https://observe.gitlab.example'),
        isOfInstance(below, 'https://example.com/git'),
        isOfInstance(below, 'https://example.com'),
      ],
      [true, false, true, true, false],
    );
  });

  const NAMES = ['127.0.0.1', 'localhost', 'LOCALHOST', 'localhost.', '[::1]', '127.1.2.3', '[0:0:0:0:0:0:0:1]'];
  for (const host of NAMES) {
    it(`a DSN with ${host} is of the server on this machine with the same port, whatever its address is called`, () => {
      const dsn = findDsns(`SENTRY_DSN=http://${KEY}@${host}:4000/api/v4/error_tracking/collector/3 # x`)[0]?.dsn;
      assert.ok(dsn !== undefined);
      assert.deepEqual(
        NAMES.filter((name) => !isOfInstance(dsn, `http://${name}:4000`)),
        [],
      );
      for (const other of [
        'http://127.0.0.1:4001',
        'https://localhost:4000',
        'http://127.corp.example:4000',
        'http://x.localhost:4000',
      ])
        assert.equal(isOfInstance(dsn, other), false, other);
    });
  }
});
