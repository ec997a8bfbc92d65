import assert from 'node:assert/strict';
import * as z from 'zod';
import { fieldName, SeedRefused, textOf } from '../../../server/seeds/document.ts';
import { seedFormat, seedJsonSchema } from '../../../server/seeds/format.ts';
import { readSeed } from '../../../server/seeds/reading.ts';
import { readDay, readTime } from '../../../server/seeds/times.ts';

async function validationErrors(text: string): Promise<readonly string[]> {
  try {
    await readSeed('seed.yaml', text);
  } catch (error) {
    assert.ok(error instanceof SeedRefused, String(error));
    return error.validationErrors;
  }
  return [];
}

/** YAML whose anchors expand nine values nine times at each of ten levels. */
const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  .concat(Array.from({ length: 10 }, (_, index) => `a${index + 1}: &a${index + 1} [${Array(9).fill(`*a${index}`).join(', ')}]`))
  .join('\n');

describe('the structure of a seed file', () => {
  const table: Readonly<Record<string, readonly [text: string, ...validationErrors: string[]]>> = {
    'is valid as YAML': ['users:\n  - username: ines\n    created_at: 2026-05-01\n'],
    'is valid as JSON with tabs and escapes': [
      '{\n\t"users": [\n\t\t{"username": "ines", "bio": "\\ud83d\\ude00 \\/"}\n\t]\n}\n',
    ],
    'allows aliases of values': [
      'users:\n  - &ines {username: ines}\ngroups:\n  - {path: a, members: &m []}\n  - {path: b, members: *m}\n',
    ],
    'reports a missing field on the line of its parent': [
      'projects:\n  - path: a/b\n    issues:\n      - title: one\n      - author: ines\n',
      'seed.yaml:5: projects[0].issues[1].title is missing',
    ],
    'reports all validation errors at once': [
      'users:\n  - username: 12\n    nam: x\n    admin: yes\n  - password: 5\n',
      'seed.yaml:2: users[0].username must be a string; put it in quotes',
      'seed.yaml:3: users[0].nam is not a known field; did you mean name?',
      'seed.yaml:4: users[0].admin must be true or false',
      'seed.yaml:5: users[1].username is missing',
      'seed.yaml:5: users[1].password must be a string or null',
    ],
    'lists the allowed values of a field': [
      'projects:\n  - path: a/b\n    visibility: secret\n',
      'seed.yaml:3: projects[0].visibility must be private, internal or public',
    ],
    'distinguishes lists and maps': [
      'users: {username: a}\ngroups: [x]\nprojects: 3\n',
      'seed.yaml:1: users must be a list',
      'seed.yaml:2: groups[0] must be a map',
      'seed.yaml:3: projects must be a list',
    ],
    'reports the invalid field of a file in a commit': [
      'projects:\n  - path: a/b\n    commits:\n      - message: m\n        files: {"a b.md": {conten: x}}\n',
      'seed.yaml:5: projects[0].commits[0].files["a b.md"].content is missing',
      'seed.yaml:5: projects[0].commits[0].files["a b.md"].conten is not a known field; did you mean content?',
    ],
    'reports an unknown form of a relative time': [
      'users:\n  - {username: a, created_at: 3 moons ago}\n  - {username: b, created_at: 2 weeks 3 days ago}\n',
      'seed.yaml:2: users[0].created_at must be a time such as 2026-05-01, 2026-05-01T12:00:00Z or 3 days ago',
    ],
    'refuses a duplicate field name': [
      'users:\n  - username: a\n    username: b\nusers: []\n',
      'seed.yaml:3: "username" is defined twice; first on line 2',
      'seed.yaml:4: "users" is defined twice; first on line 1',
    ],
    'refuses values that grow through aliases': [bomb, 'seed.yaml:1: the file has more than 300000 values'],
    'refuses a value that contains itself': [
      'users: &u\n  - username: a\n    bio: *u\n',
      'seed.yaml:3: *u refers to a value that contains it',
    ],
    'refuses an alias without an anchor': ['users: *u\n', 'seed.yaml:1: *u has no anchor &u before it'],
    'refuses very deeply nested values': [
      `users: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      'seed.yaml:1: values are nested more than 40 levels deep',
    ],
    'refuses deeply nested values that the parser accepts': [
      `users: ${'['.repeat(60)}${']'.repeat(60)}`,
      'seed.yaml:1: values are nested more than 40 levels deep',
    ],
    'refuses YAML merge keys': [
      'x: &x {a: 1}\nusers: [{<<: *x, username: a}]\n',
      'seed.yaml:2: "<<" is not allowed as a field name',
    ],
    'refuses language-specific types': [
      'users: !!js/function "x"\n',
      'seed.yaml:1: Unresolved tag: tag:yaml.org,2002:js/function',
    ],
    'refuses __proto__ as a field name': ['__proto__: {users: []}\n', 'seed.yaml:1: "__proto__" is not allowed as a field name'],
    'refuses lists and maps as field names': ['? [a]\n: b\n', 'seed.yaml:1: a field name is required before the colon'],
    'refuses characters that cannot be stored': [
      'users: [{username: "a\\0b", bio: "\\ud800"}]\n',
      'seed.yaml:1: users[0].username contains a character that cannot be stored',
      'seed.yaml:1: users[0].bio contains a character that cannot be stored',
    ],
    'refuses an empty file': ['# nothing\n', 'seed.yaml:1: the file is empty'],
    'refuses a plain string': ['hello\n', 'seed.yaml:1: the file must be a map'],
    'refuses a truncated file': ['users:\n  - username: "abc\n', 'seed.yaml:3: Missing closing "quote'],
    'refuses more than 1,000 users': [
      `users: [${'{username: a},'.repeat(1001)}]`,
      'seed.yaml:1: users has more than 1000 entries',
    ],
  };
  for (const [name, [text, ...expected]] of Object.entries(table)) {
    it(name, async () => assert.deepEqual(await validationErrors(text), expected));
  }

  it('a seed file is one document', async () => {
    const [only, ...others] = await validationErrors('users: []\n---\nusers: []\n');
    assert.match(only ?? '', /^seed\.yaml:2: Source contains multiple documents/);
    assert.deepEqual(others, []);
  });

  it('the number of reported validation errors of a seed file is limited, and the others are counted', async () => {
    const many = await validationErrors(Array.from({ length: 3000 }, (_, index) => `k${index}: 1`).join('\n'));
    assert.equal(many.length, 201);
    assert.match(many.at(-1) ?? '', /^seed\.yaml: and \d+ more$/);
  });

  it('a seed file is UTF-8; an invalid byte is reported with its line', () => {
    assert.equal(textOf('seed.yaml', Buffer.from('\u{feff}users: []')), 'users: []');
    assert.throws(() => textOf('seed.yaml', Buffer.from([0x61, 0x0a, 0x62, 0x0a, 0xff, 0x0a])), {
      message: 'seed.yaml:3: the text is not valid UTF-8',
    });
    assert.throws(() => textOf('seed.yaml', Buffer.alloc(2 * 1024 * 1024 + 1, 'a')), {
      message: 'seed.yaml: the file is larger than 2 MiB',
    });
  });

  it('problems of a seed file contain the path of the field', () => {
    assert.equal(fieldName(['projects', 2, 'issues', 0, 'title']), 'projects[2].issues[0].title');
    assert.equal(fieldName(['files', 'a b.md', 'content']), 'files["a b.md"].content');
  });
});

describe('the JSON Schema of seed files', () => {
  it('the JSON Schema of seed files accepts and refuses the same values as the server', () => {
    const ofEditors = z.fromJSONSchema(seedJsonSchema());
    const values: readonly unknown[] = [
      {},
      { version: 1, users: [{ username: 'ines', password: null }] },
      { version: 2 },
      { users: [{}] },
      { users: [{ username: 'ines', nam: 'x' }] },
      { groups: [{ path: 'a', visibility: 'secret' }] },
      { projects: [{ path: 'a/b', commits: [{ message: 'm', files: { a: 'x', b: null, c: { content: 'y' } } }] }] },
      { projects: [{ path: 'a/b', commits: [{ message: 'm', files: { a: 3 } }] }] },
      { projects: [{ path: 'a/b', issues: [{ title: 't', created_at: '3 days ago', due_date: 'in 2 weeks' }] }] },
      { projects: [{ path: 'a/b', issues: [{ title: 't', created_at: 'soon' }] }] },
      { personal_access_tokens: [{ user: 'root', name: 'n', scopes: [] }] },
      { personal_access_tokens: [{ user: 'root', name: 'n', scopes: ['api'], token: 'short' }] },
    ];
    for (const value of values) {
      assert.equal(ofEditors.safeParse(value).success, seedFormat().safeParse(value).success, JSON.stringify(value));
    }
  });
});

describe('times of a seed file', () => {
  const now = Date.UTC(2026, 4, 10, 15, 30);
  const times: Readonly<Record<string, number | undefined>> = {
    now: now,
    '2026-05-01': Date.UTC(2026, 4, 1),
    '2026-05-01T12:00': Date.UTC(2026, 4, 1, 12),
    '2026-05-01 12:00:30+02:00': Date.UTC(2026, 4, 1, 10, 0, 30),
    '3 days ago': Date.UTC(2026, 4, 7, 15, 30),
    '1 week 2 hours 5 minutes ago': Date.UTC(2026, 4, 3, 13, 25),
    '2026-02-30': undefined,
    '2026-02-30T12:00:00Z': undefined,
    'in 3 days': undefined,
    tomorrow: undefined,
    '3 days': undefined,
  };
  for (const [text, time] of Object.entries(times)) it(`reads ${text}`, () => assert.equal(readTime(text, now), time));

  const days: Readonly<Record<string, number | undefined>> = {
    today: Date.UTC(2026, 4, 10),
    'in 2 weeks': Date.UTC(2026, 4, 24),
    '3 days ago': Date.UTC(2026, 4, 7),
    '2028-02-29': Date.UTC(2028, 1, 29),
    '2027-02-29': undefined,
    '2 hours ago': undefined,
  };
  for (const [text, day] of Object.entries(days)) it(`reads the day ${text}`, () => assert.equal(readDay(text, now), day));
});
