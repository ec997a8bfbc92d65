import assert from 'node:assert/strict';
import * as z from 'zod';
import { InvalidParameters } from '../../../server/core/errors.ts';
import { restFailure } from '../../../server/http/failures.ts';
import {
  boolean,
  date,
  fallback,
  hash,
  integer,
  integers,
  oneOf,
  readParameters,
  required,
  string,
  strings,
  time,
} from '../../../server/http/params.ts';

/** Returns the value read from `raw`, or the validation error. */
function read(parameter: z.ZodType, raw: unknown): unknown {
  try {
    return readParameters(z.object({ value: parameter }), raw === undefined ? {} : { value: raw }).value;
  } catch (error) {
    assert.ok(error instanceof InvalidParameters);
    return restFailure(error).body;
  }
}
const refused = (problem: string) => ({ error: `value ${problem}` });

describe('reading parameters like GitLab', () => {
  it('integers: sign, underscores and surrounding spaces are valid, anything else is invalid', () => {
    for (const [raw, value] of [
      ['7', 7],
      ['-7', -7],
      ['+7', 7],
      [' 7 ', 7],
      ['1_000', 1000],
      [5.9, 5],
      ['', undefined],
      [null, undefined],
    ] as const) {
      assert.equal(read(integer(), raw), value, JSON.stringify(raw));
    }
    for (const raw of ['1.5', 'abc', '0x1', '1__0', '1e3', [1], {}, true, '99999999999999999999']) {
      assert.deepEqual(read(integer(), raw), refused('is invalid'), JSON.stringify(raw));
    }
  });

  it('booleans: the spellings of GitLab are valid, others are invalid', () => {
    for (const raw of ['true', 'True', 'TRUE', 'T', 't', '1', 'on', 'On', 'ON', 'y', 'Y', 'yes', 'Yes', 'YES', true, 1]) {
      assert.equal(read(boolean(), raw), true, JSON.stringify(raw));
    }
    for (const raw of ['false', 'False', 'FALSE', 'F', 'f', '0', 'off', 'Off', 'OFF', 'n', 'N', 'no', 'No', 'NO', false, 0]) {
      assert.equal(read(boolean(), raw), false, JSON.stringify(raw));
    }
    for (const raw of ['maybe', '2', 'tRuE', 2, [], {}])
      assert.deepEqual(read(boolean(), raw), refused('is invalid'), JSON.stringify(raw));
    assert.equal(read(boolean(), ''), undefined);
  });

  it('strings: numbers become strings; arrays, objects and NUL are invalid; the empty string is kept', () => {
    assert.equal(read(string(), 5), '5');
    assert.equal(read(string(), ''), '');
    for (const raw of [['a'], { a: 1 }, 'a\0b', 'a\ud800', '\udfffb'])
      assert.deepEqual(read(string(), raw), refused('is invalid'));
  });

  it('enumerations are case-sensitive, and accept null if the parameter is optional', () => {
    const sort = oneOf(['asc', 'desc']);
    assert.equal(read(sort(), 'asc'), 'asc');
    assert.equal(read(sort(), null), undefined);
    assert.deepEqual(read(sort(), 'ASC'), refused('does not have a valid value'));
  });

  it('dates are lenient in format and strict in the calendar; of a date-time the day counts', () => {
    const day = Date.UTC(2016, 11, 1);
    for (const raw of ['2016-12-1', '2016-12-01', '20161201', '2016/12/01', '2016-12-01T23:59:59Z'])
      assert.equal(read(date(), raw), day, raw);
    for (const raw of ['2016-13-01', '2016-02-30', 'yesterday', '12', 5])
      assert.deepEqual(read(date(), raw), refused('is invalid'), String(raw));
  });

  it('times without a time zone are UTC', () => {
    assert.equal(read(time(), '2026-01-02T03:04:05'), Date.UTC(2026, 0, 2, 3, 4, 5));
    assert.equal(read(time(), '2026-01-02T03:04:05+02:00'), Date.UTC(2026, 0, 2, 1, 4, 5));
    assert.deepEqual(read(time(), '2026-01-02T99:00:00Z'), refused('is invalid'));
  });

  it('lists are arrays or comma-separated strings; nulls in them are invalid', () => {
    assert.deepEqual(read(strings(), 'a, b'), ['a', 'b']);
    assert.deepEqual(read(strings(), ['a', 'b']), ['a', 'b']);
    assert.deepEqual(read(integers(), '1,2'), [1, 2]);
    assert.deepEqual(read(integers(), [1, 'x']), refused('is invalid'));
    assert.deepEqual(read(strings(), ['a', null]), refused('is invalid'));
  });

  it('a required parameter is missing if it is not sent and empty if it is blank', () => {
    assert.deepEqual(read(required(integer), undefined), refused('is missing'));
    assert.deepEqual(read(required(integer), ''), refused('is empty'));
    assert.equal(read(fallback(20, integer), undefined), 20);
    assert.equal(read(fallback(20, integer), ''), 20);
  });

  it('validation errors are joined in the order of declaration', () => {
    const schema = z.object({ name: required(string), page: integer(), sort: oneOf(['asc'])() });
    assert.throws(
      () => readParameters(schema, { page: 'x', sort: 'up' }),
      (error: unknown) => {
        assert.ok(error instanceof InvalidParameters);
        assert.deepEqual(restFailure(error).body, {
          error: 'name is missing, page is invalid, sort does not have a valid value',
        });
        return true;
      },
    );
  });

  it('names of Object.prototype are not parameters', () => {
    assert.deepEqual(readParameters(z.object({ constructor: string() }), Object.create(null)), { constructor: undefined });
  });
});

describe('nested parameters', () => {
  const both = z.object({ not: hash({ labels: strings(), author_id: integer() }) });

  it('nested parameters are read like top-level parameters', () => {
    assert.deepEqual(readParameters(both, { not: { labels: 'a,b', author_id: '7', other: 1 } }), {
      not: { labels: ['a', 'b'], author_id: 7 },
    });
    for (const none of [undefined, null, '']) assert.deepEqual(readParameters(both, { not: none }), { not: undefined });
  });

  it('nested parameters are reported with both names in validation errors', () => {
    const problem = (not: unknown): unknown => {
      try {
        return readParameters(both, { not });
      } catch (error) {
        assert.ok(error instanceof InvalidParameters);
        return restFailure(error).body;
      }
    };
    assert.deepEqual(problem({ author_id: 'x' }), { error: 'not[author_id] is invalid' });
    for (const none of ['x', ['x'], 7, true]) assert.deepEqual(problem(none), { error: 'not is invalid' });
  });
});
