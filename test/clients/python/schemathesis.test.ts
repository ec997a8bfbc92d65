import path from 'node:path';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';
import { runSchemathesis } from '../../support/schemathesis.ts';

clientTest(
  'schemathesis finds no failure of the server and no answer that its OpenAPI document does not have',
  () => pythonWith(path.join(import.meta.dirname, 'requirements.txt')),
  (python) => runSchemathesis(python, { examples: 6, phases: ['fuzzing'], seed: 1, fromResponses: false, milliseconds: 600_000 }),
  620_000,
);
