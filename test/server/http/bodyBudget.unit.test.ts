import assert from 'node:assert/strict';
import { type BodyBudget, BodyBudgetExceeded, createBodyBudget } from '../../../server/http/bodyBudget.ts';

const limits = {
  total: 100,
  reservedForSmall: 20,
  small: 10,
  waiting: 3,
  checkInterval: 1,
  checksWaited: 2,
  arrivingPerCheck: 5,
};

describe('memory budget of request bodies', () => {
  let budget: BodyBudget;
  let check: () => void;
  let isChecking: boolean;
  beforeEach(() => {
    isChecking = false;
    budget = createBodyBudget(limits, (_, run) => {
      isChecking = true;
      check = run;
      return () => {
        isChecking = false;
      };
    });
  });

  /** Returns the outcome of a wait, or that it is still pending. */
  async function stateOf(wait: Promise<void> | undefined): Promise<'admitted' | 'refused' | 'waiting'> {
    const turns = new Promise<'waiting'>((resolve) => setImmediate(() => resolve('waiting')));
    return Promise.race([
      Promise.resolve(wait).then(
        () => 'admitted' as const,
        () => 'refused' as const,
      ),
      turns,
    ]);
  }

  it('bodies are admitted immediately while they fit, and count until they are released', () => {
    const [one, other] = [budget.open(), budget.open()];
    assert.equal(one.add(40), undefined);
    assert.equal(other.add(30), undefined);
    assert.equal(one.add(10), undefined);
    assert.equal(budget.used, 80);
    one.release();
    assert.equal(budget.used, 30);
    other.release();
    assert.deepEqual([budget.used, budget.peak], [0, 80]);
  });

  it('one body larger than the total is admitted, so that the largest legal body always fits', () => {
    const large = budget.open();
    assert.equal(large.add(1000), undefined);
    assert.equal(large.add(1000), undefined);
    large.release();
    assert.equal(budget.used, 0);
  });

  it('large bodies wait while one exceeds the total, and are admitted in order', async () => {
    const large = budget.open();
    void large.add(1000);
    const [first, second] = [budget.open(), budget.open()];
    const waits = [first.add(60), second.add(60)];
    assert.deepEqual(await Promise.all(waits.map(stateOf)), ['waiting', 'waiting']);
    large.release();
    assert.deepEqual(await Promise.all(waits.map(stateOf)), ['admitted', 'admitted']);
    assert.equal(budget.used, 120);
  });

  it('some memory is reserved for small bodies', async () => {
    const [large, exceeding] = [budget.open(), budget.open()];
    void large.add(80);
    void exceeding.add(15);
    const third = budget.open();
    assert.equal(await stateOf(third.add(15)), 'waiting');
    assert.equal(budget.open().add(4), undefined);
  });

  it('a request that has waited too long is refused, and checking stops when none waits', async () => {
    void budget.open().add(1000);
    const wait = budget.open().add(50);
    assert.ok(isChecking);
    check();
    assert.equal(await stateOf(wait), 'waiting');
    check();
    await assert.rejects(async () => wait, BodyBudgetExceeded);
    assert.deepEqual([isChecking, budget.waiting], [false, 0]);
  });

  it('a request is refused immediately when too many wait', () => {
    void budget.open().add(1000);
    const waits = Array.from({ length: limits.waiting }, () => budget.open().add(50));
    assert.throws(() => budget.open().add(50), BodyBudgetExceeded);
    for (const wait of waits) wait?.catch(() => undefined);
  });

  it('the place of a disconnected client is given to the next request', async () => {
    const exceeding = budget.open();
    void exceeding.add(1000);
    const [gone, next] = [budget.open(), budget.open()];
    const waits = [gone.add(50), next.add(50)];
    gone.cancel();
    assert.equal(await stateOf(waits[0]), 'refused');
    assert.equal(budget.waiting, 1);
    exceeding.release();
    assert.equal(await stateOf(waits[1]), 'admitted');
  });

  it('a body that arrives too slowly while others wait is refused, and a fast one is not', async () => {
    const [slow, fast] = [budget.open(), budget.open()];
    const refused: string[] = [];
    slow.beginReceiving(() => {
      refused.push('slow');
      slow.release();
    });
    fast.beginReceiving(() => refused.push('fast'));
    void slow.add(1000);
    void fast.add(1);
    const waiting = budget.open();
    const wait = waiting.add(50);
    check();
    void fast.add(limits.arrivingPerCheck);
    assert.deepEqual(refused, []);
    check();
    assert.deepEqual(refused, ['slow']);
    // The second check refuses the request that has waited for two checks, so the next one is admitted.
    await stateOf(wait);
    assert.equal(budget.open().add(50), undefined);
  });
});
