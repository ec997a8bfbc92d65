import assert from 'node:assert/strict';
import { buildHostSuite } from '../../../scripts/build-host-suite.ts';
import { type Editor, openEditor, RECORDER } from '../../support/host/vscode.ts';

type Line = { readonly event: string; readonly title: string; readonly text: string; readonly failures: number };

describe('tests inside the extension host', () => {
  it('tests inside the extension host pass in VS Code', async () => {
    const testsPath = await buildHostSuite();
    const lines: Line[] = [];
    const ended = Promise.withResolvers<Line>();
    let editor: Editor | undefined;
    try {
      editor = await openEditor({
        extensionDevelopmentPath: RECORDER,
        testsPath,
        onConsole(text) {
          const line = readLine(text);
          if (line === undefined) return;
          lines.push(line);
          if (line.event === 'end') ended.resolve(line);
        },
      });
      const timer = setTimeout(() => ended.reject(new Error(`the tests did not finish; ${JSON.stringify(lines)}`)), 200_000);
      const end = await ended.promise.finally(() => clearTimeout(timer));
      const failed = lines.filter(({ event }) => event === 'fail').map(({ title, text }) => `${title}: ${text}`);
      assert.deepEqual(failed, []);
      assert.equal(end.failures, 0);
      assert.ok(lines.filter(({ event }) => event === 'pass').length >= 5, `few tests ran: ${JSON.stringify(lines)}`);
    } finally {
      await editor?.close();
    }
  });
});

/** Parses a console line: the browser shows a line of the extension host with its own marks around it. */
function readLine(text: string): Line | undefined {
  const json = /\[in-host\] (\{.*\})/s.exec(text)?.[1];
  if (json === undefined) return undefined;
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null) return undefined;
  const string = (name: string): string => {
    const member: unknown = Reflect.get(value, name);
    return typeof member === 'string' ? member : '';
  };
  const failures: unknown = Reflect.get(value, 'failures');
  return {
    event: string('event'),
    title: string('title'),
    text: string('text'),
    failures: typeof failures === 'number' ? failures : 0,
  };
}
