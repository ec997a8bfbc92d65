import assert from 'node:assert/strict';
import { ApiFailure } from '../../../src/api/failures.ts';
import type { ErrorDetail } from '../../../src/contract/errorDetail.ts';
import { createErrorDetails } from '../../../src/errorMarks/details.ts';
import { errorDetail } from '../errorPanel/details.ts';

const error = (id: string, more: Partial<ErrorDetail> = {}) => errorDetail({ id, ...more });
const errors = (count: number) => Array.from({ length: count }, (_, index) => error(String(index)));

/** Details whose requests end when the test says so. */
function fixture() {
  const asked: string[] = [];
  const open: { readonly id: string; readonly end: (result: ErrorDetail | Error) => void }[] = [];
  const warned: unknown[] = [];
  const details = createErrorDetails({
    load: (id) =>
      new Promise((resolve, reject) => {
        asked.push(id);
        open.push({ id, end: (result) => (result instanceof Error ? reject(result) : resolve(result)) });
      }),
    changed: () => undefined,
    warn: (failure) => warned.push(failure),
  });
  /** Ends all open requests, and those that follow. */
  async function endAll(resultOf: (id: string) => ErrorDetail | Error = error): Promise<number> {
    let most = 0;
    while (open.length > 0) {
      most = Math.max(most, open.length);
      for (const { id, end } of open.splice(0)) end(resultOf(id));
      await new Promise(setImmediate);
    }
    return most;
  }
  return { details, asked, warned, endAll, open };
}

describe('details of errors for marks', () => {
  it('are requested for the first 30 unresolved errors, four at a time', async () => {
    const { details, asked, endAll } = fixture();
    details.want([error('r', { status: 'resolved' }), error('i', { status: 'ignored' }), ...errors(40)], 1);
    assert.equal(await endAll(), 4);
    assert.deepEqual(
      asked,
      errors(30).map(({ id }) => id),
    );
    assert.equal(details.get('29')?.id, '29');
    assert.equal(details.get('30'), undefined);
  });

  it('are kept until the number of events changes, and forgotten with the error', async () => {
    const { details, asked, endAll } = fixture();
    details.want(errors(2), 1);
    details.want(errors(2), 1);
    await endAll();
    details.want(errors(2), 2);
    await endAll();
    assert.deepEqual(asked, ['0', '1']);
    details.want([error('0', { count: 99 })], 3);
    assert.equal(details.get('0')?.count, 3, 'the old one while the new one is loaded');
    assert.equal(details.get('1'), undefined);
    await endAll(() => error('0', { count: 99 }));
    assert.deepEqual([asked.at(-1), details.get('0')?.count], ['0', 99]);
  });

  it('are not requested any more after a failure, before the list is loaded again', async () => {
    const { details, asked, warned, endAll } = fixture();
    details.want(errors(20), 1);
    await endAll(() => new ApiFailure('unreachable', 'Server unreachable'));
    details.want(errors(20), 1);
    assert.deepEqual([asked.length, warned.length], [4, 4]);
    details.want(errors(20), 2);
    await endAll();
    assert.equal(asked.length, 24);
  });

  it('of a deleted error do not stop the others', async () => {
    const { details, asked, endAll } = fixture();
    details.want(errors(6), 1);
    await endAll((id) => (id === '0' ? new ApiFailure('notFound', 'Not found') : error(id)));
    assert.equal(asked.length, 6);
    assert.equal(details.get('5')?.id, '5');
  });

  it('of another project are forgotten, even if they arrive later', async () => {
    const { details, endAll, asked } = fixture();
    details.want(errors(9), 1);
    details.clear();
    await endAll();
    assert.deepEqual([asked.length, details.get('0')], [4, undefined]);
  });

  it('are not requested while no editor is visible', async () => {
    const { details, endAll, asked } = fixture();
    details.want(errors(9), 1);
    details.pause();
    await endAll();
    assert.deepEqual(asked, ['0', '1', '2', '3']);
    details.want(errors(9), 1);
    await endAll();
    assert.equal(asked.length, 9);
  });
});
