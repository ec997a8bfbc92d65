import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { testEnvironment } from '../../support/environment.ts';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';
import { comparePrediction } from '../deprecations.ts';

const here = import.meta.dirname;

export function testDeprecations(): void {
  clientTest(
    'the calls of python-gitlab that release 20.0 breaks are those that the report of deprecated calls predicts',
    () => pythonWith(path.join(here, 'requirements.txt')),
    (python) =>
      comparePrediction('python-gitlab', async (origin, token, name) => {
        const { stdout } = await promisify(execFile)(python, [path.join(here, 'deprecations_story.py'), name], {
          env: testEnvironment([], { ORIGIN: origin, TOKEN: token }),
        });
        return Object.keys(JSON.parse(stdout) as object);
      }),
  );
}
