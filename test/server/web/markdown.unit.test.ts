import assert from 'node:assert/strict';
import { markdown } from '../../../server/web/markdown.ts';

const location = { link: (path: string) => `/files/${path}`, image: (path: string) => `/raw/${path}` };
const rendered = async (text: string, level = 2): Promise<string> => String(await markdown(text, location, level));

describe('markdown', () => {
  it('Markdown headings, lists, tables, code and links are rendered', async () => {
    const html = await rendered(
      '# Lamps\n\n* red\n\n| a |\n|---|\n| 1 |\n\n```js\nlet a;\n```\n\n[on](docs/on.md) <https://lamps.example>',
    );
    assert.match(html, /<h2 id="text-lamps">Lamps<\/h2>/);
    assert.match(html, /<li>red<\/li>/);
    assert.match(html, /<table tabindex="0">/);
    assert.match(html, /<code class="language-js">let a;/);
    assert.match(html, /<a href="\/files\/docs\/on.md">on<\/a>/);
    assert.match(html, /<a href="https:\/\/lamps.example" rel="nofollow noopener noreferrer">/);
  });

  it('Markdown headings skip no level, and each has a unique ID', async () => {
    assert.deepEqual((await rendered('# A\n### B\n# A\n###### C', 3)).match(/<h\d[^>]*>/g), [
      '<h3 id="text-a">',
      '<h4 id="text-b">',
      '<h3 id="text-a-1">',
      '<h4 id="text-c">',
    ]);
    assert.match(await rendered('[to](#a)\n\n## A'), /href="#text-a"/);
  });

  for (const text of [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](java\\\nscript:alert(1))',
    '[x](<java\tscript:alert(1)>)',
    '[x](\u0001javascript:alert(1))',
    '[x]( javascript:alert(1))',
    '[x](vbscript:x)',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](vscode://file/etc)',
    '![x](javascript:alert(1))',
    '![x](data:image/svg+xml,<svg>)',
    '![x"onerror="alert(1)](y.png"onerror="alert(1))',
    '[x](y"onclick="alert(1))',
    '[x](y.md "t\\"onclick=\\"alert(1)")',
    '```"><script>\nx\n```',
    '<javascript:alert(1)>',
    '[r]\n\n[r]: javascript:alert(1)',
    '| <script> |\n|---|\n| <b onclick=x> |',
    '<!-- --><style>*{display:none}</style>',
    '<a href="javascript:alert(1)">x</a>',
    '# <svg onload=alert(1)>',
  ]) {
    it(`Markdown cannot run scripts: ${JSON.stringify(text)}`, async () => {
      const html = await rendered(text);
      // All remaining tags are generated ones, with known attributes only.
      for (const [tag] of html.matchAll(/<[^>]*>/g)) {
        assert.match(
          tag,
          /^<\/?(?:p|a|img|pre|code|table|thead|tbody|tr|th|td|h\d|br)(?: (?:href|rel|id|src|alt|title|class|tabindex)="[^"<>]*")*(?: ?\/)?>\n?$/,
          html,
        );
        for (const [, to = ''] of tag.matchAll(/(?:href|src)="([^"]*)"/g))
          assert.match(to, /^(?:https?:|mailto:|\/files\/|\/raw\/|#)/, html);
      }
    });
  }

  it('an external image in Markdown is replaced by its description and not requested', async () => {
    assert.equal(await rendered('![a lamp](https://lamps.example/a.png)'), '<p>a lamp</p>\n');
    assert.equal(await rendered('![](//lamps.example/a.png)'), '<p>image</p>\n');
    assert.match(await rendered('![a lamp](a.png)'), /<img src="\/raw\/a.png" alt="a lamp">/);
  });
});
