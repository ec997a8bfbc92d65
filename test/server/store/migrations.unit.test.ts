import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { migrations } from '../../../server/store/migrations.ts';

const folder = path.join(import.meta.dirname, '../../../server/store/migrations');

describe('the list of migrations', () => {
  it('the list of migrations has every file of their folder in the order of the numbers, which have no gaps', async () => {
    const files = readdirSync(folder).toSorted();
    assert.deepEqual(
      files.map((file) => Number(/^(\d{4})-[a-z\d-]+\.ts$/.exec(file)?.[1])),
      files.map((_, index) => index + 1),
    );
    const steps = await Promise.all(files.map((file) => import(path.join(folder, file)) as Promise<Record<string, string>>));
    assert.deepEqual(
      migrations,
      steps.flatMap((step) => Object.values(step)),
    );
  });
});
