import assert from 'node:assert/strict';
import { evaluate, valueOf } from '../../../src/errorReplay/values.ts';

describe('captured values in the debugger', () => {
  const variables = [
    { name: 'order', value: '{"id":7,"lines":[{"price":12.5,"note":null}],"paid":false,"e-mail":"a@b.test"}' },
    { name: 'total', value: '-3' },
    { name: 'name', value: '"Ana"' },
    { name: 'self', value: '<Ship object at 0x7f>' },
    { name: 'broken', value: '{"a":' },
    { name: '$this', value: '"Ship"' },
    { name: 'id', value: '1234567890123456789' },
    { name: 'ids', value: '[12345678901234567890, 0.1, 1e400]' },
  ].map((value) => valueOf({ ...value, kind: 'json' }));

  const found: readonly (readonly [expression: string, text: string, type: string])[] = [
    ['order.id', '7', 'number'],
    ['order.lines[0].price', '12.5', 'number'],
    ['order?.lines[0].note', 'null', 'null'],
    [' order["e-mail"] ', 'a@b.test', 'string'],
    ["order['paid']", 'false', 'boolean'],
    ['order.lines[0]', '{price: 12.5, note: null}', 'object'],
    ['order.lines', '[{…}]', 'array'],
    ['$this', 'Ship', 'string'],
    ['total', '-3', 'number'],
    ['name', 'Ana', 'string'],
    ['self', '<Ship object at 0x7f>', 'string'],
    ['broken', '{"a":', 'string'],
    // Numbers that a double cannot hold.
    ['id', '1234567890123456789', 'number'],
    ['ids', '[12345678901234567890, 0.1, 1e400]', 'array'],
    ['ids[0]', '12345678901234567890', 'number'],
    ['ids[2]', '1e400', 'number'],
  ];
  for (const [expression, text, type] of found) {
    it(`${expression.trim()} is ${text}`, () => {
      const value = evaluate(expression, variables);
      assert.deepEqual([value?.text, value?.type], [text, type]);
    });
  }

  for (const expression of [
    '',
    'nothing',
    'order.lines[1]',
    'order.toString',
    'total + 1',
    'order.pay()',
    'order.',
    'order[id]',
    'order = 1',
  ]) {
    it(`there is no value for "${expression}"`, () => {
      assert.equal(evaluate(expression, variables), undefined);
    });
  }

  for (const text of [
    '7e15432',
    '1.10',
    '1e3',
    '007',
    '1234567890123456789',
    'true',
    'null',
    '{"a":1}',
    '"quoted"',
    '-0',
    '10.50',
  ]) {
    it(`the text ${text} is shown as it is`, () => {
      assert.deepEqual(valueOf({ name: 'tag', value: text, kind: 'text' }), { name: 'tag', text, type: 'string', members: [] });
    });
  }

  it('deeply nested values are read down to a limit', () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    let value = valueOf({ name: 'deep', value: deep, kind: 'json' });
    let depth = 0;
    for (; value.members[0] !== undefined; depth += 1) value = value.members[0];
    assert.ok(depth > 10 && depth < 100, String(depth));
  });
});
