import assert from 'node:assert/strict';
import { IngestFailure } from '../../../../server/features/errorTracking/body/ingestFailure.ts';
import { readPayload } from '../../../../server/features/errorTracking/body/storePayload.ts';

const membersOf = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"member${index}":1`).join(',')}}`;
/** Returns an object with nested lists, `depth` levels in total, with a text that makes it long enough to be checked. */
const nested = (depth: number): string =>
  `{"text":"${'a'.repeat(40_000)}","more":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const listOf = (values: number): string => `{"more":[${'1,'.repeat(values - 2)}1]}`;

describe('the payload of an event', () => {
  for (const [name, payload, status, detail] of [
    ['10,001 members of one object', membersOf(10_001), 413, 'the payload has more than 10000 members'],
    ['1,001 levels', nested(1001), 400, 'the JSON is nested too deeply'],
    ['more than 100,000 values', listOf(100_003), 413, 'the payload has more than 100000 values'],
  ] as const) {
    it(`the payload of an event is refused for ${name}`, () => {
      assert.throws(
        () => readPayload(Buffer.from(payload)),
        (error) => error instanceof IngestFailure && error.status === status && error.message === detail,
      );
    });
  }

  for (const [name, payload] of [
    ['10,000 members of one object', membersOf(10_000)],
    ['1,000 levels', nested(1000)],
    ['100,000 values', listOf(100_000)],
  ] as const) {
    it(`the payload of an event can have ${name}`, () => {
      assert.deepEqual(readPayload(Buffer.from(payload)), JSON.parse(payload));
    });
  }
});
