import assert from 'node:assert/strict';
import { ApiFailure } from '../../../src/api/failures.ts';
import type { Client } from '../../../src/api/client.ts';
import type { BoundAccount } from '../../../src/instances/boundAccount.ts';
import { createProjectResponses } from '../../../src/workspaceProjects/responses.ts';

const SHOP = { root: 'file:///shop', address: 'https://gitlab.example.com:', project: 'Acme/Shop', isFirst: true };

/** Account whose requests are recorded in `asked`, and which gets this response. */
function account(
  key: string,
  asked: string[],
  response: { readonly id: number; readonly path: string } | ApiFailure,
): BoundAccount {
  const get = async (path: string, read: (body: unknown) => unknown): Promise<unknown> => {
    asked.push(`${key} ${path}`);
    if (response instanceof ApiFailure) throw response;
    return read({ id: response.id, path_with_namespace: response.path });
  };
  return { key, client: () => ({ get }) as unknown as Client } as unknown as BoundAccount;
}

const missing = new ApiFailure('notFound', 'Not found');

describe('what instances respond about a project', () => {
  it('is asked of one account after the other until one sees the project, and of each once', async () => {
    const asked: string[] = [];
    const accounts = [
      account('a', asked, missing),
      account('b', asked, { id: 7, path: 'acme/shop' }),
      account('c', asked, missing),
    ];
    const responses = createProjectResponses(() => undefined);
    assert.equal(responses.of(SHOP, accounts, false), 'pending');
    assert.deepEqual(asked, [], 'nothing is asked without a reason');
    for (let round = 0; round < 4; round += 1) {
      responses.of(SHOP, accounts, true);
      await new Promise(setImmediate);
    }
    assert.deepEqual(responses.of(SHOP, accounts, true), { account: 'b', id: 7, path: 'acme/shop' });
    assert.deepEqual(asked, ['a /projects/Acme%2FShop', 'b /projects/Acme%2FShop']);
  });

  it('is not asked again after a 404 or 403 until the account signs in again', async () => {
    const asked: string[] = [];
    const accounts = [account('a', asked, missing), account('b', asked, new ApiFailure('forbidden', 'Forbidden'))];
    const responses = createProjectResponses(() => undefined);
    const askAll = async (): Promise<void> => {
      for (let round = 0; round < 4; round += 1) {
        responses.of(SHOP, accounts, true);
        await new Promise(setImmediate);
      }
    };
    await askAll();
    assert.equal(responses.of(SHOP, accounts, true), undefined);
    assert.equal(asked.length, 2);
    responses.keepOnly(accounts.slice(0, 1));
    await askAll();
    assert.deepEqual(
      asked.map((one) => one[0]),
      ['a', 'b', 'b'],
    );
  });

  it('is not asked again soon after a failure of the network', async () => {
    const asked: string[] = [];
    const accounts = [account('a', asked, new ApiFailure('unreachable', 'Unreachable'))];
    const responses = createProjectResponses(() => undefined);
    for (let round = 0; round < 4; round += 1) {
      assert.equal(responses.of(SHOP, accounts, true), 'pending');
      await new Promise(setImmediate);
    }
    assert.equal(asked.length, 1);
  });
});
