import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { demoErrors } from '../../../server/seeds/demoFailures.ts';
import { demoGroupFrames } from '../../../server/seeds/demoFurtherErrors.ts';

const PROGRAM = path.join(import.meta.dirname, '../../../media/demo-workspace/berth-api');

it('every stack frame of the demo errors is a line of the demo workspace in the named function', () => {
  const frames = [...demoErrors.flatMap(({ at, from }) => [at, from]), ...Object.values(demoGroupFrames)];
  for (const [file, name, line, column, text] of frames) {
    const lines = readFileSync(path.join(PROGRAM, file), 'utf8').split('\n');
    assert.equal(lines[line - 1], text, `${file}:${line}`);
    assert.ok(column >= 1 && column <= text.length, `${file}:${line}:${column}`);
    const begin = lines.slice(0, line).findLast((one) => /^export (?:async )?function /.test(one)) ?? '';
    assert.ok(begin.includes(`function ${name}(`), `${file}:${line} is in ${begin}`);
  }
});
