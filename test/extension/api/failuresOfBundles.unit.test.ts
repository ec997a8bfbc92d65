import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ApiFailure } from '../../../src/api/failures.ts';

describe('failures of API calls', () => {
  it('are recognized by another bundle, which has its own copy of the class', async () => {
    const copy: unknown = await import(`${import.meta.resolve('../../../src/api/failures.ts')}?copy`);
    assert.ok(typeof copy === 'object' && copy !== null && 'ApiFailure' in copy);
    const { ApiFailure: Copy } = copy;
    assert.ok(typeof Copy === 'function' && Copy !== ApiFailure);
    assert.ok(Reflect.construct(Copy, ['notFound', 'no such error']) instanceof ApiFailure);
    assert.ok(!(new Error('no such error') instanceof ApiFailure));
  });
});
