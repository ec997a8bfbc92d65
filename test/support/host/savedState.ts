/** Returns everything in VS Code's state databases. Runs in the page. */
export async function savedState(): Promise<readonly string[]> {
  const names = (await indexedDB.databases()).flatMap(({ name }) =>
    name?.startsWith('vscode-web-state-db') === true ? [name] : [],
  );
  const settled = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB')));
    });
  const values = await Promise.all(
    names.map(async (name) => {
      const database = await settled(indexedDB.open(name));
      try {
        return await settled<unknown[]>(database.transaction('ItemTable').objectStore('ItemTable').getAll());
      } finally {
        database.close();
      }
    }),
  );
  return values.flat().filter((value) => typeof value === 'string');
}
