import assert from 'node:assert/strict';
import { markdown, markdownBudget } from '../../../server/web/markdown.ts';

const nowhere = { link: () => undefined, image: () => undefined };
const rendered = async (text: string, budget = markdownBudget()): Promise<string> =>
  String(await markdown(text, nowhere, 1, { budget }));
const count = (html: string, piece: string): number => html.split(piece).length - 1;

describe('long texts in markdown', () => {
  it('long Markdown is rendered up to a line and shown as plain text after it', async () => {
    const html = await rendered('# a\n'.repeat(10_000));
    const headings = count(html, '<h1');
    assert.ok(headings > 1000 && headings < 5000, `${headings} headings are rendered`);
    assert.equal(headings + count(html, '# a\n'), 10_000, 'the whole text is shown');
    assert.equal(count(html, '<p class="typed">'), 1);
  });

  it('long Markdown on a single line is shown as plain text', async () => {
    const html = await rendered('['.repeat(100_000));
    assert.equal(html, `<p class="typed">${'['.repeat(100_000)}</p>`);
  });

  it('Markdown of ordinary size is rendered completely', async () => {
    const section =
      '## Lamps\n\nA lamp is [lit](lamp.md) *once* a `day`: see https://lamps.example.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n';
    const html = await rendered(section.repeat(150));
    assert.equal(count(html, 'id="text-lamps'), 150);
    assert.equal(count(html, '<table'), 150);
    assert.ok(!html.includes('class="typed"'));
  });

  it('the Markdown texts of a page share its budget', async () => {
    const budget = markdownBudget();
    await rendered('*a*\n'.repeat(10_000), budget);
    assert.equal(await rendered('*a*', budget), '<p class="typed">*a*</p>');
  });

  it('Markdown shown as plain text is escaped', async () => {
    assert.ok(!(await rendered(`${'[\n'.repeat(20_000)}<b>`)).includes('<b>'));
  });

  for (const [name, text] of [
    ['with many columns', `${'|a'.repeat(2000)}|\n${'|-'.repeat(2000)}|\n${'|b'.repeat(2000)}|\n`],
    ['with missing cells', `${'|a'.repeat(500)}|\n${'|-'.repeat(500)}|\n${'|\n'.repeat(500)}`],
    ['after other large tables', `${'|a'.repeat(60)}|\n${'|-'.repeat(60)}|\n${'|\n'.repeat(50)}\n`.repeat(20)],
  ] as const) {
    it(`a table ${name} has a limited number of cells, and its text is shown`, async () => {
      const html = await rendered(text);
      assert.ok(count(html, '<td') + count(html, '<th') <= 4000, `${count(html, '<td')} cells`);
      assert.ok(html.includes('|a|a|a'));
    });
  }
});
