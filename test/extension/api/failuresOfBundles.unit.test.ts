import assert from 'node:assert/strict';
import { ApiFailure } from '../../../src/api/failures.ts';
import { TransportFailure } from '../../../src/api/transport.ts';

describe('failures of requests are recognized by another bundle, which has its own copy of the class', () => {
  for (const { name, file, own, kind } of [
    { name: 'ApiFailure', file: 'failures', own: ApiFailure, kind: 'notFound' },
    { name: 'TransportFailure', file: 'transport', own: TransportFailure, kind: 'unreachable' },
  ] as const) {
    it(name, async () => {
      const copy: unknown = await import(`${import.meta.resolve(`../../../src/api/${file}.ts`)}?copy`);
      assert.ok(typeof copy === 'object' && copy !== null);
      const Copy: unknown = Reflect.get(copy, name);
      assert.ok(typeof Copy === 'function' && Copy !== own);
      const failure: unknown = Reflect.construct(Copy, [kind, 'no such error']);
      assert.ok(failure instanceof own);
      assert.equal(failure.kind, kind);
      assert.ok(!(new Error('no such error') instanceof own));
    });
  }
});
