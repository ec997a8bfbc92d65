import assert from 'node:assert/strict';
import { isSecretName } from '../../../../server/features/errorTracking/event/secretNames.ts';
import { nameScrubber, scrubText } from '../../../../server/features/errorTracking/event/scrubText.ts';
import { mayHoldSecrets, namesSecret } from '../../../../server/features/errorTracking/event/secretScan.ts';
import { normalised } from '../reading.ts';

describe('names of secrets', () => {
  const secret = [
    'password',
    'Password',
    'user[password]',
    'db_passwd',
    'passwordConfirmation',
    'pwd',
    'secret',
    'clientSecret',
    'API_KEY',
    'apikey',
    'x-api-key',
    'Authorization',
    'Proxy-Authorization',
    'Cookie',
    'Set-Cookie',
    'csrfToken',
    'X-CSRF-Token',
    'authenticity_token',
    'access_token',
    'auth',
    'private_key',
    'sessionId',
    'PHPSESSID',
    'JSESSIONID',
    'credentials',
    'aws_secret_access_key',
    'card-number',
    'AUTH_TOKEN',
    'PRIVATE-TOKEN',
    'pin',
    'userPin',
    'passcode',
    '_gitlab_session',
    // The other words do not say that the value is something else.
    'token_id',
    'session_id',
    'token_value',
    'password_hash',
    'password_confirmation',
    'old_password',
    'previous_token',
    'reset_password',
    'remember_token',
    'auth_code',
    'auth_header',
    'one_time_password',
    'password_hint',
    'password_bytes',
    'tokenSet',
    'this_is_password',
    'enable_password',
    'requirePass',
    'password_reset_url',
    'password_reset_link',
    'secret_url',
    'credit_card_name',
    'credit_card_expiry',
    'next_password',
    'user%5Btoken%5D',
  ];
  const plain = [
    'author',
    'authority',
    'max_tokens',
    'tokenizer',
    'compass',
    'bypass',
    'passenger',
    'session',
    'key',
    'keyboard',
    'pinned',
    'spinner',
    'cookieless',
    'monkey',
    'id',
    '',
    'event_id',
    'span',
    'filename',
    'PublicKeyToken',
    // Numbers and sizes.
    'token_count',
    'tokenCount',
    'total_tokens',
    'total_cookies',
    'num_secrets',
    'password_length',
    'min_password_length',
    'max_token_size',
    'token_limit',
    'pin_attempts',
    'user[token_count]',
    'user%5Btoken_count%5D',
    // Positions in a list.
    'next_page_token',
    'nextPageToken',
    'page_token',
    'continuation_token',
    'x-ms-continuation-token',
    'sync_token',
    'nextSyncToken',
    'NextToken',
    // Flags and policies.
    'cookies_enabled',
    'cookieEnabled',
    'cookie_policy',
    'cookie_consent',
    'password_required',
    'auth_enabled',
    'enable_auth',
    'has_password',
    'user.hasToken',
    'is_authenticated',
    'requires_auth',
    'password_expired',
    'password_strength',
    'Access-Control-Allow-Credentials',
    // Kinds.
    'token_type',
    'tokenType',
    'auth_method',
    'auth_scheme',
    'jwt_algorithm',
    'credit_card_type',
    // Times.
    'token_expires_in',
    'tokenExpiresAt',
    'password_changed_at',
    'last_password_change',
    'token_ttl',
    'cookie_max_age',
    // Addresses.
    'authorization_endpoint',
    'token_url',
    'tokenUri',
    'auth_host',
    'cookie_domain',
    'password_file',
    'SSH_AUTH_SOCK',
    'secret_name',
  ];
  for (const name of secret) it(`${name} is the name of a secret`, () => assert.ok(isSecretName(name)));
  for (const name of plain) it(`"${name}" is not the name of a secret`, () => assert.ok(!isSecretName(name)));
});

describe('a text with secrets', () => {
  const table: readonly [text: string, scrubbed: string][] = [
    ['a=1&token=abc&b=2', 'a=1&token=[Filtered]&b=2'],
    ['/x?password=hunter2#top', '/x?password=[Filtered]#top'],
    ['user%5Bpassword%5D=x&y', 'user%5Bpassword%5D=[Filtered]&y'],
    ['user[password]=x', 'user[password]=[Filtered]'],
    ["User(name='mia', password='hunter2')", "User(name='mia', password='[Filtered]')"],
    ['token=', 'token='],
    ['https://mia:hunter2@host/x', 'https://mia:[Filtered]@host/x'],
    ['https://mia@host/x', 'https://mia@host/x'],
    ['{"password":"hunter2","a":"b"}', '{"password":"[Filtered]","a":"b"}'],
    ['{"password" : "it\'s \\" 2", "a":1}', '{"password" : "[Filtered]", "a":1}'],
    ['{"pin":1,"api_key":17}', '{"pin":"[Filtered]","api_key":"[Filtered]"}'],
    ["{'Authorization': 'Bearer x', 'a': 1}", "{'Authorization': '[Filtered]', 'a': 1}"],
    ['"{\\"password\\":\\"hunter2\\",\\"a\\":1}"', '"{\\"password\\":\\"[Filtered]\\",\\"a\\":1}"'],
    ['a == b, c=d', 'a == b, c=d'],
    ['no secret: here', 'no secret: here'],
    ['password: hunter2', 'password: [Filtered]'],
    ['login failed (password: hunter2)', 'login failed (password: [Filtered])'],
    ['password = hunter2 # harbour', 'password = [Filtered] # harbour'],
    ['password = swordfish', 'password = [Filtered]'],
    ["{ host: 'quay', password: 'two words' }", "{ host: 'quay', password: '[Filtered]' }"],
    ['{"password"=>"two words", "a"=>1}', '{"password"=>"[Filtered]", "a"=>1}'],
    ['{:password=>"hunter2"}', '{:password=>"[Filtered]"}'],
    ['[password] => hunter2', '[password] => [Filtered]'],
    ["password='two words' b", "password='[Filtered]' b"],
    ['Authorization: Token abc123', 'Authorization: Token [Filtered]'],
    ['Cookie: sid=abc; theme=dark\nAccept: a', 'Cookie: [Filtered]\nAccept: a'],
    ['PIN: 1234', 'PIN: [Filtered]'],
    ['user_eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln', 'user_[Filtered]'],
    ['x-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln.', 'x-[Filtered]'],
    ['token expired', 'token expired'],
    ['Invalid token: expired', 'Invalid token: expired'],
    ["Unexpected token: 'else'", "Unexpected token: 'else'"],
    ['password: must not be empty', 'password: must not be empty'],
    ['Auth::TokenError: 1234 failures', 'Auth::TokenError: 1234 failures'],
    ['at auth.js:10:5', 'at auth.js:10:5'],
    ["from auth.rb:10:in `call'", "from auth.rb:10:in `call'"],
    ['if secret == other1', 'if secret == other1'],
    ['WHERE token = $1 AND password = :password', 'WHERE token = $1 AND password = :password'],
    ['token = next_token1(x)', 'token = next_token1(x)'],
    ['pinned: 1234, spinner: 1234, author: a1234', 'pinned: 1234, spinner: 1234, author: a1234'],
    ['System.Core, PublicKeyToken=b77a5c561934e089', 'System.Core, PublicKeyToken=b77a5c561934e089'],
    ['at -[UIKeyboardImpl _pinInputViewsForInputResponderController:animatedWithCompletionHandler:] + 7', ''],
    ['-[Dock loginWithPassword:token:completionHandlerForAll:]', ''],
    ['?next_page_token=abc&token_count=42&token=abc', '?next_page_token=abc&token_count=42&token=[Filtered]'],
    [
      '{"token_count": 42, "nextPageToken": "abc", "token": "abc"}',
      '{"token_count": 42, "nextPageToken": "abc", "token": "[Filtered]"}',
    ],
    ['X-Continuation-Token: abc123', ''],
    ['token_url=https://mia:hunter2@host/', 'token_url=https://mia:[Filtered]@host/'],
    ['token_type=ghp_a1B2c3D4e5F6g7H8i9J0', 'token_type=[Filtered]'],
    ['PWD=/srv/app OLDPWD=~/app HOME=/', ''],
    ['PWD: /srv/app2', ''],
    ['{"PWD":"/srv/app"}', ''],
    ['settings.PWD = "/srv/app"', ''],
    ['PWD=hunter2', 'PWD=[Filtered]'],
    ['pwd=hunter2', 'pwd=[Filtered]'],
    ['pwd=/hunter2', 'pwd=[Filtered]'],
    ['UID=sa;PWD=hunter2', 'UID=sa;PWD=[Filtered]'],
    ['UID=sa;PWD=/hunter2', 'UID=sa;PWD=[Filtered]'],
    ['user%5Btoken%5D=abc', 'user%5Btoken%5D=[Filtered]'],
  ];
  // An empty text means that nothing is scrubbed.
  for (const [text, scrubbed] of table) it(text, () => assert.equal(scrubText(text), scrubbed === '' ? text : scrubbed));
});

describe('a name of a program', () => {
  for (const name of [
    'System.Core, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089',
    'Shop.Load(System.Core, Version=4.0.0.0, Token=b77a5)',
    '-[UIKeyboardImpl _pinInputViewsForInputResponderController:animatedWithCompletionHandler:]',
    '+[Dock loginWithPassword:token2:completionHandlerForAll:]',
    'loginWithPassword:token:completion:',
    'Dock.login(password:token:completion2:)',
    'Auth::Token: validate',
    'Auth::Token: validate2',
    'get token=',
    'User#password=',
    'void shop::check<auth=basic_2>()',
    'shop::load(int) [with Auth = auth::Basic2; Token = token_2]',
    '<auth::Token<K=u8, V=alloc::String>>::deref',
    'auth.(*Token).Load.func1',
    '<get-token>',
    'block in <class:Token2>',
    'pass: sha256_hash_v2',
    '/data/token=17/part.py',
    'password_required?',
    'AuthError: token2',
  ]) {
    it(`is kept: ${name}`, () => {
      assert.equal(nameScrubber.scrub(name), name);
      assert.ok(!nameScrubber.mayChange(name));
    });
  }
  for (const [name, scrubbed] of [
    ['load(ghp_a1B2c3D4e5F6g7H8i9J0)', 'load([Filtered])'],
    ['https://mia:hunter2@host/app.js', 'https://mia:[Filtered]@host/app.js'],
    ['https://host/app.js?v=1&token=abc#access_token=abc', 'https://host/app.js?v=1&token=[Filtered]#access_token=[Filtered]'],
    ['GET /login;jsessionid=abc', 'GET /login;jsessionid=[Filtered]'],
    ['load(token=a1B2c3D4e5F6g7H8)', 'load(token=[Filtered])'],
    ['load({"token": "a1B2c3D4e5F6g7H8"})', 'load({"token": "[Filtered]"})'],
    ['token: a1B2c3D4e5F6g7H8', 'token: [Filtered]'],
  ] as const) {
    it(`is scrubbed: ${name}`, () => {
      assert.equal(nameScrubber.scrub(name), scrubbed);
      assert.ok(nameScrubber.mayChange(name));
    });
  }

  const name = 'Load(Token: parse2, PublicKeyToken=b77a5c561934e089, pass=sha256)';
  it('is kept in every place of an event', () => {
    const frame = { function: name, module: name, filename: name, abs_path: name, package: name };
    const payload = {
      platform: name,
      exception: [
        {
          type: name,
          module: name,
          stacktrace: { frames: [frame] },
          mechanism: { type: name, source: name, meta: { signal: { name } } },
        },
      ],
      threads: [{ stacktrace: { frames: [frame] } }],
      stacktrace: { frames: [frame] },
      breadcrumbs: [{ category: name, type: name }],
      logger: name,
      transaction: name,
      server_name: name,
      release: name,
      dist: name,
      environment: name,
      sdk: { name, version: name },
      modules: { [name]: name, cookie: '0.7.2', pass: '1.0' },
      debug_meta: { images: [{ code_file: name, debug_id: name }] },
    };
    assert.ok(!mayHoldSecrets(payload) && !namesSecret(payload));
    const event = normalised(payload);
    assert.deepEqual(event.problems, []);
    assert.deepEqual(event.exceptions[0]?.frames[0]?.function, name);
    assert.deepEqual([...event.modules], Object.entries(payload.modules));
    assert.deepEqual([...event.debugIds], [[name, name]]);
    assert.deepEqual(event, normalised(payload, { scrub: false, headerId: event.id }));
  });
});

describe('the value of a member whose name says that it is no secret', () => {
  const plain = {
    token_count: 42,
    nextPageToken: 'abc',
    PWD: '/srv/app',
    OLDPWD: '~',
    cookie_policy: { all: 'x' },
    token_url: 'https://host/',
  };
  it('is kept in trees, pairs, headers and tags', () => {
    const payload = {
      extra: { plain, pairs: Object.entries(plain) },
      contexts: { app: plain },
      request: { headers: { 'X-Token-Count': '42', PWD: '/srv/app' }, data: plain },
      tags: { token_type: 'bearer', PWD: '/srv/app' },
      stacktrace: { frames: [{ function: 'f', vars: plain, context_line: 'PWD="/srv/app"; token_type = "opaque7"' }] },
    };
    assert.ok(!mayHoldSecrets(payload) && !namesSecret(payload));
    const event = normalised(payload);
    assert.deepEqual(event.problems, []);
    assert.deepEqual(event.extra, payload.extra);
  });

  it('is scrubbed if it has the form of a secret or is an address with a password', () => {
    const { extra, tags } = normalised({
      extra: { token_type: 'ghp_a1B2c3D4e5F6g7H8i9J0', token_url: 'https://mia:hunter2@host/', PWD: 'hunter2', OLDPWD: ['x'] },
      tags: { PWD: 'hunter2' },
    });
    assert.deepEqual(extra, {
      token_type: '[Filtered]',
      token_url: 'https://mia:[Filtered]@host/',
      PWD: '[Filtered]',
      OLDPWD: ['x'],
    });
    assert.equal(tags.get('PWD'), '[Filtered]');
  });
});

describe('an event with secrets', () => {
  const payload = {
    request: {
      url: 'http://mia:SECRET@localhost/x?token=SECRET&a=1',
      query_string: { token: 'SECRET', a: '1' },
      headers: {
        Authorization: 'Bearer SECRET',
        Cookie: ['sid=SECRET'],
        'X-Api-Key': 'SECRET',
        Referer: 'http://x/?password=SECRET',
        Accept: '*/*',
      },
      cookies: { sid: 'SECRET' },
      data: { user: { password: 'SECRET', name: 'mia' }, list: [['token', 'SECRET']] },
    },
    extra: { password: 'SECRET', nested: [{ apiKey: { a: 'SECRET' } }], body: '{"password":"SECRET"}', hasPassword: true },
    contexts: { app: { secret: 17_171_717, name: 'x' } },
    breadcrumbs: [{ data: { url: '/x?access_token=SECRET', token: 'SECRET' } }],
    exception: [
      {
        type: 'A',
        stacktrace: {
          frames: [{ function: 'f', vars: { password: "'SECRET'", headers: "{'Authorization': 'SECRET'}", a: '1' } }],
        },
      },
    ],
    user: { id: 1, password: 'SECRET' },
  };

  it('a scrubbed event has no secrets but everything else, and lists where they were', () => {
    const event = normalised(payload);
    assert.doesNotMatch(JSON.stringify(event), /SECRET|17171717/);
    assert.deepEqual(event.request, {
      url: 'http://mia:[Filtered]@localhost/x?token=[Filtered]&a=1',
      method: undefined,
      query: 'token=[Filtered]&a=1',
      headers: [
        ['Authorization', '[Filtered]'],
        ['Cookie', '[Filtered]'],
        ['X-Api-Key', '[Filtered]'],
        ['Referer', 'http://x/?password=[Filtered]'],
        ['Accept', '*/*'],
      ],
      cookies: { sid: '[Filtered]' },
      data: { user: { password: '[Filtered]', name: 'mia' }, list: [['token', '[Filtered]']] },
    });
    assert.deepEqual(event.extra, {
      password: '[Filtered]',
      nested: [{ apiKey: '[Filtered]' }],
      body: '{"password":"[Filtered]"}',
      hasPassword: true,
    });
    assert.deepEqual(event.exceptions[0]?.frames[0]?.vars, {
      password: '[Filtered]',
      headers: "{'Authorization': '[Filtered]'}",
      a: '1',
    });
    assert.ok(event.problems.every(({ type, value }) => type === 'scrubbed' && value === undefined));
    assert.ok(event.problems.some(({ name }) => name === 'extra.nested[0].apiKey'));
  });

  it('an event keeps its secrets if scrubbing is off', () => {
    const event = normalised(payload, { scrub: false });
    assert.deepEqual(event.problems, []);
    assert.deepEqual(event.request?.cookies, { sid: 'SECRET' });
    assert.equal(event.extra['password'], 'SECRET');
    assert.equal(event.request?.query, 'token=SECRET&a=1');
  });

  it('a problem with a secret member does not contain the secret', () => {
    const event = normalised({
      request: 'password=SECRET',
      user: 'x',
      extra: { token: 'x'.repeat(20_000) },
      tags: 'https://a:SECRET@b',
    });
    assert.doesNotMatch(JSON.stringify(event), /SECRET/);
  });
});
