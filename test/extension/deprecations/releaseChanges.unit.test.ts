import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { deprecationIds } from '../../../src/contract/deprecations.ts';
import { releases } from '../../../src/contract/emulation.ts';
import { releaseChanges } from '../../../src/deprecations/releaseChanges.ts';
import { bracketedTexts, germanTexts, outsideBrackets, useLanguage } from '../../support/extension/language.ts';

describe('the changes of a release', () => {
  it('name what it removes, deprecates and adds, with their number', () => {
    const [removed, ...others] = releaseChanges('19.0');
    assert.match(removed ?? '', /^Removes \d+: password grant, /);
    assert.deepEqual(others, []);
    assert.deepEqual(releaseChanges('17.1'), [
      'Adds 2: the device authorization grant, keyset pagination of GET /projects/:id/repository/tree',
    ]);
    assert.deepEqual(releaseChanges('15.7'), ['Deprecates 1: runner registration token resets']);
    assert.deepEqual(releaseChanges('15.2'), []);
  });

  it('contain each deprecation once as announced and at most once as removed', () => {
    const texts = releases.flatMap(releaseChanges);
    const namesIn = (verb: string) =>
      texts.filter((text) => text.startsWith(verb)).flatMap((text) => text.replace(/^\w+ \d+: /, '').split(', '));
    const names = deprecationIds.map((id) => id.replaceAll('-', ' '));
    assert.deepEqual(namesIn('Deprecates').toSorted(), names.toSorted());
    const removed = namesIn('Removes');
    assert.equal(new Set(removed).size, removed.length);
    assert.ok(removed.every((name) => names.includes(name)));
  });

  describe('in German', () => {
    useLanguage(germanTexts);

    it('are translated', () => {
      assert.match(releaseChanges('20.0').join(), /^Entfernt \d+: runner registration/);
    });
  });

  describe('in any language', () => {
    useLanguage(bracketedTexts);

    it('have no text of their own', () => {
      for (const text of releases.flatMap(releaseChanges)) assert.equal(outsideBrackets(text), '');
    });
  });
});
