import assert from 'node:assert/strict';
import fc from 'fast-check';
import { markdownOf, storedName } from '../../../server/features/uploads/rules.ts';

describe('names of uploads', () => {
  it('keep letters, digits and some signs, and lose folders', () => {
    for (const [sent, stored] of [
      ['lamp.png', 'lamp.png'],
      ['../../etc/passwd', 'passwd'],
      [String.raw`C:\lamps\red lamp.png`, 'red_lamp.png'],
      ['Grüße (1).pdf', 'Grüße__1_.pdf'],
      ['a"b\nc<d>.html', 'a_b_c_d_.html'],
      ['..', '_..'],
      ['', 'unnamed'],
      [undefined, 'unnamed'],
    ] as const) {
      assert.equal(storedName(sent), stored);
    }
  });

  it('are short and harmless whatever is sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (sent) => {
        const name = storedName(sent);
        assert.match(name, /^[\p{L}\p{M}\p{N}\p{Pc}.+-]{1,241}$/u);
        assert.doesNotMatch(name, /^\.+$/);
        assert.equal(storedName(name), name);
      }),
      { numRuns: 30 },
    );
  });

  it('decide whether Markdown shows an image or a link', () => {
    const secret = 'ab'.repeat(16);
    assert.deepEqual(markdownOf({ secret, filename: 'red_lamp.PNG' }), {
      alt: 'red_lamp',
      markdown: `![red_lamp](/uploads/${secret}/red_lamp.PNG)`,
    });
    assert.deepEqual(markdownOf({ secret, filename: 'notes.txt' }), {
      alt: 'notes.txt',
      markdown: `[notes.txt](/uploads/${secret}/notes.txt)`,
    });
  });
});
