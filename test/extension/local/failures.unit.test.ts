import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { fatalCodes } from '../../../server/core/fatal.ts';
import { appearanceOf } from '../../../src/activity/appearance.ts';
import { isJsonObject, stringMember } from '../../../src/contract/json.ts';
import { localInstance } from '../../../src/instances/instances.ts';
import { sentences, startFailure } from '../../../src/local/failures.ts';

/** Codes of the extension itself: the child cannot be started, sends no line or an invalid one, or exits later. */
const ownCodes = ['no_start', 'no_answer', 'bad_answer', 'ended', 'crashed'];
const root = path.join(import.meta.dirname, '../../..');
const texts: Readonly<Record<string, string>> = JSON.parse(readFileSync(path.join(root, 'package.nls.json'), 'utf8'));

describe('a local server that failed', () => {
  for (const code of fatalCodes) {
    it(`a failed local server with code ${code} shows the reason and a hint in the view, in the status bar and in the log`, () => {
      const failure = startFailure(code, 'The reason of the server.', 'Use --data or --port.');
      assert.equal(failure.text, 'The local server failed to start: The reason of the server');
      assert.match(failure.hint, /^[A-Z].*\.$/);
      assert.doesNotMatch(failure.hint, /--/, 'command-line options are not available in the editor');
      const state = {
        instance: localInstance('data-1'),
        kind: 'serverFailed',
        text: failure.text,
        hint: failure.hint,
      } as const;
      const { description } = appearanceOf(state, { kind: 'idle' }, 'missing', { now: 0, locale: 'en' });
      assert.equal(description, failure.text);
      assert.equal(
        sentences(failure.text, failure.hint),
        `The local server failed to start: The reason of the server. ${failure.hint}`,
      );
    });
  }

  for (const code of [...fatalCodes, ...ownCodes, 'unknown_code']) {
    it(`a failed local server with code ${code} has exactly one welcome text, which contains a link`, () => {
      const shown = welcomeTexts().filter(({ when }) =>
        holds(when, { 'signalbox.connectionState': 'serverFailed', 'signalbox.serverFailure': code }),
      );
      assert.deepEqual(
        shown.map(({ contents }) => contents),
        [shown[0]?.contents],
      );
      assert.match(texts[shown[0]?.contents ?? ''] ?? '', /\]\(command:signalbox\.local\./);
    });
  }

  it('a failure keeps the hint of the server if its code is unknown', () => {
    assert.equal(startFailure('unknown_code', 'Something new', 'Do this.').hint, 'Do this.');
  });
});

interface Welcome {
  readonly contents: string;
  readonly when: string;
}

/** Returns the welcome texts of My Activity with their `when` clauses from package.json. */
function welcomeTexts(): readonly Welcome[] {
  const manifest: { contributes: { viewsWelcome: unknown[] } } = JSON.parse(
    readFileSync(path.join(root, 'package.json'), 'utf8'),
  );
  return manifest.contributes.viewsWelcome.flatMap((welcome) => {
    if (!isJsonObject(welcome) || welcome['view'] !== 'signalbox.activity.mine') return [];
    const contents = (stringMember(welcome, 'contents') ?? '').replaceAll('%', '');
    return [{ contents, when: stringMember(welcome, 'when') ?? '' }];
  });
}

/** Evaluates a clause of `==`, `=~` and `!(…)` terms that are joined by `&&` and `||`. Parentheses around `||` are not supported. */
function holds(when: string, context: Readonly<Record<string, string>>): boolean {
  return when.split(' || ').some((part) => part.split(' && ').every((term) => holdsTerm(term, context)));
}

function holdsTerm(term: string, context: Readonly<Record<string, string>>): boolean {
  const negated = /^!\((.*)\)$/.exec(term)?.[1];
  if (negated !== undefined) return !holdsTerm(negated, context);
  const [, key = '', operator, operand = ''] = /^(\S+) (==|=~) (.*)$/.exec(term) ?? [];
  assert.ok(operator !== undefined, `unsupported term ${term}`);
  const value = context[key] ?? '';
  return operator === '==' ? value === operand : new RegExp(operand.slice(1, -1)).test(value);
}
