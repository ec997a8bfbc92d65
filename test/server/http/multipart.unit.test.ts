import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Unreadable } from '../../../server/core/errors.ts';
import { partsOf } from '../../../server/http/multipart.ts';

const TYPE = 'multipart/form-data; boundary=b';
const field = (disposition: string, content = 'x', before = ''): string =>
  `--b\r\n${before}Content-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const read = (body: string, type = TYPE): readonly unknown[] =>
  partsOf(Buffer.from(body), type).map(({ name, filename, content }) => [name, filename, content.toString()]);

describe('a multipart form', () => {
  it('is read as by the parser of Node, whatever it contains', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const entry = fc.record({ name: text, value: fc.oneof(text, fc.uint8Array({ maxLength: 100 })), filename: text });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 5 }), async (entries) => {
        const form = new FormData();
        for (const { name, value, filename } of entries) {
          if (typeof value === 'string') form.append(name, value);
          else form.append(name, new File([new Uint8Array(value)], filename));
        }
        const sent = new Response(form);
        const type = sent.headers.get('content-type') ?? '';
        const body = Buffer.from(await sent.arrayBuffer());
        const expected: unknown[] = [];
        for (const [name, value] of await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()) {
          const [filename, content] = typeof value === 'string' ? [undefined, value] : [value.name, await value.bytes()];
          expected.push([name, filename, Buffer.from(content).toString('hex')]);
        }
        const parts = partsOf(body, type).map(({ name, filename, content }) => {
          const plain = filename === undefined ? Buffer.from(content.toString()) : content;
          return [name, filename, plain.toString('hex')];
        });
        assert.deepEqual(parts, expected);
      }),
    );
  });

  it('has files as views of the body', () => {
    const body = Buffer.from(`${field('name="file"; filename="a.txt"', 'lamp')}--b--\r\n`);
    const [part] = partsOf(body, TYPE);
    assert.equal(part?.content.buffer, body.buffer);
  });

  for (const [what, disposition, name, filename] of [
    ['a name without quotes', 'name=file; filename=a.txt', 'file', 'a.txt'],
    ['escaped quotes', 'name="a\\"b"; filename="c\\"; d"', 'a"b', 'c"; d'],
    ['encoded quotes and line breaks', 'name="a%22b%0D%0A%41"', 'a"b\r\n%41', undefined],
    ['a name in the form of RFC 8187', `filename*=utf-8''l%C3%A4mp.txt; name="file"`, 'file', 'lämp.txt'],
    ['a malformed name in that form beside a plain one', `name="file"; filename="a"; filename*=utf-8''%E4`, 'file', 'a'],
    ['an empty file name', 'name="file"; filename=""', 'file', ''],
  ] as const) {
    it(`can have ${what}`, () => assert.deepEqual(read(`${field(disposition)}--b--`), [[name, filename, 'x']]));
  }

  it('can have a preamble, other headers, an epilogue, no parts and texts that look like boundaries', () => {
    assert.deepEqual(read(`preamble\r\n${field('name="a"', '--b\r\n--', 'Content-Type: text/plain\r\n')}--b--\r\nend`), [
      ['a', undefined, '--b\r\n--'],
    ]);
    assert.deepEqual(read('--b--\r\n'), []);
    assert.deepEqual(read(`${field('name="a"', '')}--b--`, 'multipart/form-data; charset=utf-8; boundary="b"'), [
      ['a', undefined, ''],
    ]);
  });

  for (const [what, body, type] of [
    ['has no boundary in its type', `${field('name="a"')}--b--`, 'multipart/form-data'],
    ['never has its boundary', 'lamp', TYPE],
    ['lacks its end', field('name="a"'), TYPE],
    ['has a part without an end of its headers', '--b\r\nContent-Disposition: form-data; name="a"\r\n--b--', TYPE],
    ['has a longer boundary', `${field('name="a"')}--bc--`, TYPE],
    ['has a part without a name', `${field('filename="a"')}--b--`, TYPE],
    ['has a part that is no form data', '--b\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n--b--', TYPE],
  ] as const) {
    it(`is refused if it ${what}`, () => assert.throws(() => read(body, type), Unreadable));
  }
});
