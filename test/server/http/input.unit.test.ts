import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { statusOf } from '../../../server/http/refusalStatus.ts';
import { isRefusal } from '../../../server/http/wireFailure.ts';
import { parseForm, readRawParameters, SentFile } from '../../../server/http/input.ts';

/** Tests the raw content of queries, forms and JSON bodies, before parameters are read. */
describe('raw parameters', () => {
  const read = (query: string, type = '', body = '', takesFiles = false): Promise<unknown> => {
    const context = {
      method: 'POST',
      query,
      headers: { 'content-type': type },
      body: async () => Buffer.from(body),
    };
    return readRawParameters(context, undefined, takesFiles).then((raw) => ({ ...raw }));
  };
  const FORM = 'application/x-www-form-urlencoded';

  for (const [what, text, json] of [
    ['strings', 'name=Lamp+7&note=a%26b', { name: 'Lamp 7', note: 'a&b' }],
    ['an empty string and null', 'a=&b', { a: '', b: null }],
    ['a list', 'labels[]=red&labels[]=dark%5B%5D', { labels: ['red', 'dark[]'] }],
    ['a list with one item', 'labels[]=red', { labels: ['red'] }],
    ['a hash', 'not[labels]=red&not[author]=ada', { not: { labels: 'red', author: 'ada' } }],
    ['a list in a hash', 'not[iids][]=1&not[iids][]=2', { not: { iids: ['1', '2'] } }],
    [
      'a list of hashes',
      'variables[0][key]=A&variables[0][value]=1&variables[1][key]=B&variables[1][value]=2',
      {
        variables: [
          { key: 'A', value: '1' },
          { key: 'B', value: '2' },
        ],
      },
    ],
    ['encoded brackets', 'labels%5B%5D=red&labels%5b%5d=dark', { labels: ['red', 'dark'] }],
  ] as const) {
    it(`${what} can be sent in a query, a form and JSON`, async () => {
      assert.deepEqual(await read(text), json);
      assert.deepEqual(await read('', FORM, text), json);
      assert.deepEqual(await read('', 'application/json', JSON.stringify(json)), json);
    });
  }

  it('the body takes precedence over the query', async () => {
    assert.deepEqual(await read('title=query&page=2', 'application/json', '{"title":"body"}'), { title: 'body', page: '2' });
  });

  it('a file of a form is included if the route accepts files', async () => {
    const part = (name: string, more: string, value: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
    const body = `${part('title', '', 'Lamp & co')}${part('file', '; filename="a.map"', '{}')}--x--\r\n`;
    const type = 'multipart/form-data; boundary=x';
    assert.deepEqual(await read('', type, body), { title: 'Lamp & co' });
    assert.deepEqual(await read('', type, body, true), {
      title: 'Lamp & co',
      file: new SentFile('a.map', Buffer.from('{}')),
    });
  });

  it('a JSON body that is not an object has no parameters', async () => {
    for (const body of ['[1,2]', '"text"', '7', 'null']) assert.deepEqual(await read('', 'application/json', body), {}, body);
  });

  it('nesting and repetition of parameters are limited', () => {
    for (const text of [`${'a[b]'.replace('[b]', '[b]'.repeat(9))}=1`, Array.from({ length: 3000 }, () => 'a[]=1').join('&')]) {
      assert.throws(
        () => parseForm(text),
        (error) => isRefusal(error) && statusOf(error) === 400,
      );
    }
  });

  it('no parameter name reaches a prototype', async () => {
    const sent = await read('__proto__[admin]=1&constructor[prototype][admin]=1&a[__proto__][admin]=1');
    assert.equal(
      Object.entries(Object(sent)).some(([name]) => name === 'admin'),
      false,
    );
    assert.equal('admin' in {}, false);
  });
});
