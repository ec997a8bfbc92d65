import assert from 'node:assert/strict';
import { isSecretName, scrubText } from '../../../../server/features/errorTracking/event/scrubText.ts';
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
  ];
  for (const [text, scrubbed] of table) it(text, () => assert.equal(scrubText(text), scrubbed));
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
