// The rows of security advice that the provider is held against (RFC 6749, 7009, 7636, 7662, 8252, 8628, 9207, 9700 and OpenID Connect):
// each has a test whose name begins with its number, or stands here with the reason why it has none.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

const rows = [...numbers(1, 52), ...numbers(60, 77)];

/** Rows that the documented interface decides otherwise; a test of that number shows what holds instead. */
const otherwise: Readonly<Record<string, string>> = {
  S18: 'the password grant is stated, until release 19.0; it is refused to people with a second factor',
  S24: 'the query parameter access_token is stated; such answers are not stored, and the token is in no log',
  S31: 'refresh tokens do not expire; they die with their family and when the person takes the access away',
};

/** Rows without a test. */
const without: Readonly<Record<string, string>> = {
  S52: 'no flow of ours posts messages between windows (RFC 9700 §4.17 is about those that do)',
};

function numbers(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => `S${String(from + at).padStart(2, '0')}`);
}

/** Numbers at the beginning of the names of tests and suites. */
function tested(): Set<string> {
  const files = globSync('test/**/*.test.ts', { cwd: root });
  const names = files.flatMap((file) => [
    ...readFileSync(path.join(root, file), 'utf8').matchAll(/\b(?:it|describe)\(\s*['"`]((?:S\d+(?:, | and | to | ))+)/g),
  ]);
  return new Set(names.flatMap(([, begin = '']) => begin.match(/S\d+/g) ?? []));
}

describe('The rows of advice to providers', () => {
  it('each have a test with their number, or a reason', () => {
    const found = tested();
    assert.deepEqual(
      rows.filter((row) => !found.has(row) && !Object.hasOwn(without, row)),
      [],
    );
    assert.deepEqual(
      [...found].filter((row) => !rows.includes(row)),
      [],
    );
  });

  it('that are decided otherwise have a test of what holds instead, and those without one have none', () => {
    const found = tested();
    assert.deepEqual(
      Object.keys(otherwise).filter((row) => !found.has(row)),
      [],
    );
    assert.deepEqual(
      Object.keys(without).filter((row) => found.has(row)),
      [],
    );
  });
});
