import assert from 'node:assert/strict';
import { createNewErrors, forgetNewErrors } from '../../../src/errorTracking/newErrors.ts';
import { fakeMemento } from '../../support/extension/fakes.ts';

const LIST = 'local/data-1#7/ada/lamps';
const error = (id: string, first: number, last = first) => ({ id, first_seen: first, last_seen: last, isRegression: false });

describe('new errors', () => {
  it('new errors are those that first occurred after the errors of the first response', () => {
    const news = createNewErrors(fakeMemento());
    assert.equal(news.isNew(LIST, error('1', 10)), false);
    news.begin(LIST, [error('1', 10, 20), error('2', 5, 15)]);
    news.begin(LIST, [error('3', 30)]);
    assert.deepEqual(
      [error('1', 10, 40), error('4', 20), error('3', 30)].map((one) => news.isNew(LIST, one)),
      [false, false, true],
    );
    assert.equal(news.isNew('local/data-1#7/ada/rails', error('3', 30)), false);
  });

  it('new errors are read once they were opened, also after a reload', () => {
    const memory = fakeMemento();
    const news = createNewErrors(memory);
    let changes = 0;
    news.onDidChange(() => (changes += 1));
    news.begin(LIST, []);
    news.markOpened(LIST, error('1', 10));
    news.markOpened(LIST, error('1', 10, 50));
    assert.equal(changes, 2);
    const reloaded = createNewErrors(memory);
    assert.deepEqual([reloaded.isNew(LIST, error('1', 10)), reloaded.isNew(LIST, error('2', 10))], [false, true]);
  });

  it('new errors are read once all were marked as read, and later ones are new', () => {
    const news = createNewErrors(fakeMemento());
    news.begin(LIST, []);
    news.markAllRead(LIST, [error('1', 10, 12), error('2', 11)]);
    assert.deepEqual([news.isNew(LIST, error('1', 10)), news.isNew(LIST, error('3', 13))], [false, true]);
  });

  it('errors that came back are new until they were opened after that', () => {
    const news = createNewErrors(fakeMemento());
    news.begin(LIST, [error('1', 10, 20)]);
    news.markOpened(LIST, error('2', 30));
    const cameBack = (id: string, first: number, last: number) => ({ ...error(id, first, last), isRegression: true });
    assert.deepEqual([news.isNew(LIST, cameBack('1', 10, 20)), news.isNew(LIST, cameBack('1', 10, 40))], [false, true]);
    assert.equal(news.isNew(LIST, cameBack('2', 30, 40)), true);
    news.markOpened(LIST, cameBack('1', 10, 40));
    assert.equal(news.isNew(LIST, cameBack('1', 10, 50)), false);
  });

  it('new errors ignore a stored value that is not valid', () => {
    const memory = fakeMemento();
    void memory.update(`errorTracking.read/${LIST}`, { marker: 'x' });
    const news = createNewErrors(memory);
    assert.equal(news.isNew(LIST, error('1', 10)), false);
    news.begin(LIST, []);
    assert.equal(news.isNew(LIST, error('1', 10)), true);
  });

  it('new errors of a removed instance are forgotten', async () => {
    const memory = fakeMemento();
    const news = createNewErrors(memory);
    const other = 'https://platform.example#7/ada/lamps#1/rails';
    news.begin(LIST, []);
    news.begin(other, []);
    await forgetNewErrors('local/data-1', memory);
    assert.deepEqual(memory.keys(), [`errorTracking.read/${other}`]);
    await forgetNewErrors('https://platform.example', memory);
    assert.deepEqual(memory.keys(), []);
  });
});
