// Test servers with demo data. They load the prepared demo data of the build, which is made only if the sources have changed.
import { builtDemoData } from '../../scripts/demoData.ts';
import { createRepositories } from '../../server/repositories/repositories.ts';
import { unpackDemo } from '../../server/seeds/demoArchive.ts';
import { loadDemo } from '../../server/seeds/loadDemo.ts';
import { silentProgress } from '../../server/seeds/progress.ts';
import { testEnvironment } from './environment.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts';
import { temporaryFolder } from './serverProcess.ts';

/** Starts a server with demo data that ends now. Its instance ID, keys and passwords are its own. */
export async function startDemoServer(
  options: Omit<TestServerOptions, 'file' | 'database' | 'dataFolder'> = {},
): Promise<TestServer> {
  const folder = temporaryFolder();
  const dataFolder = folder.path;
  const { database } = await loadDemo({
    archive: await unpackDemo(await builtDemoData()),
    now: (options.systemNow ?? Date.now)(),
    keyOwner: { dataFolder },
    repositories: createRepositories(dataFolder, { program: 'git', env: testEnvironment(['git']) }),
    withPasswords: false,
    nativeBinding: undefined,
    progress: silentProgress,
  });
  const server = await startTestServer({ ...options, dataFolder, database });
  const close = async (): Promise<void> => {
    try {
      await server.close();
    } finally {
      folder[Symbol.dispose]();
    }
  };
  return { ...server, close, [Symbol.asyncDispose]: close };
}
