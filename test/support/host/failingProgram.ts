// A Python program that fails and reports it with the SDK of Sentry.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { pythonPackages } from '../clientSuite.ts';
import { testEnvironment } from '../environment.ts';

const SDK = path.join(import.meta.dirname, '../../clients/python/sentry/requirements.txt');
const FILE = 'ship.py';
/** Fails in `load`, with a breadcrumb before it. */
const PROGRAM = `import sys

import sentry_sdk


def load(order):
    return order['crane'].lift()


sentry_sdk.init(dsn=sys.argv[1], release=sys.argv[2], environment='test')
sentry_sdk.add_breadcrumb(category='lamp', message='Lamp 7 was lit')
load({'id': 7, 'crane': None})
`;

/** The program, the error that it reports, and the line that fails. */
export const PYTHON_FAILURE = {
  file: FILE,
  type: 'AttributeError',
  value: "'NoneType' object has no attribute 'lift'",
} as const;

/** Writes the program into a folder. */
export function writeFailingProgram(folder: string): void {
  writeFileSync(path.join(folder, FILE), PROGRAM);
}

/** Installs the SDK. Rejects with MissingDependency if that is not possible on this machine. */
export function installPythonSdk(): Promise<string> {
  return pythonPackages(SDK);
}

/** Runs the program in its folder, which reports its failure to a DSN. `sdk` is what `installPythonSdk` has returned. */
export async function failInPython(folder: string, sdk: string, dsn: string, release = 'ship@1.0.0'): Promise<void> {
  const env = testEnvironment(['python3'], { PYTHONPATH: sdk, PYTHONDONTWRITEBYTECODE: '1' });
  await assert.rejects(
    promisify(execFile)('python3', [FILE, dsn, release], { cwd: folder, env }),
    /object has no attribute 'lift'/,
  );
}
