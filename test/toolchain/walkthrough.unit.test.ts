import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { parseWhen } from '../support/whenClause.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (name: string) => JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'));
const texts: Readonly<Record<string, string>> = read('package.nls.json');

interface Step {
  readonly id: string;
  readonly description: string;
  readonly media: { readonly svg: string; readonly altText: string };
  readonly completionEvents: readonly string[];
}

const steps: readonly Step[] = read('package.json').contributes.walkthroughs[0].steps;

describe('the walkthrough of the manifest', () => {
  it('has four steps', () => {
    assert.deepEqual(
      steps.map(({ id }) => id),
      ['instance', 'signIn', 'activity', 'programs'],
    );
  });

  for (const { id, description, media, completionEvents } of steps) {
    it(`offers the completing action in the step “${id}”, in a short text`, () => {
      const text = texts[description.replaceAll('%', '')] ?? '';
      assert.ok(text.replaceAll(/\[.*?\]\(.*?\)/g, '').length < 260, text);
      assert.match(text, /\n\[.+\]\(command:signalbox\.[\w.]+\)/);
      for (const event of completionEvents) {
        const [, kind, argument = ''] = /^(\w+):(.+)$/.exec(event) ?? [];
        if (kind === 'onContext') assert.equal(parseWhen(argument).keys.length, 1);
        else assert.equal(kind, 'onCommand', event);
      }
    });

    it(`has a picture for “${id}” with theme colors and an alternative text`, () => {
      assert.ok((texts[media.altText.replaceAll('%', '')] ?? '').length > 20);
      const file = path.join(ROOT, media.svg);
      assert.ok(existsSync(file), media.svg);
      const svg = readFileSync(file, 'utf8');
      // Literal colors are only fallbacks for viewers without a theme.
      const colours = svg.replaceAll(/var\((?:[^()]|\([^()]*\))*\)/g, '').match(/#[0-9a-f]{3,8}\b|\brgb|\b(?:black|white)\b/gi);
      assert.equal(colours, null);
      // VS Code shows the picture on a page that only allows its own styles.
      assert.doesNotMatch(svg, /<style|\bstyle=|\bclass=/);
      assert.doesNotMatch(svg, /<script|\bon\w+=|https?:(?!\/\/www\.w3\.org\/2000\/svg)/);
    });
  }
});
