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
  ].map(valueOf);

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

  it('deeply nested values are read down to a limit', () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    let value = valueOf({ name: 'deep', value: deep });
    let depth = 0;
    for (; value.members[0] !== undefined; depth += 1) value = value.members[0];
    assert.ok(depth > 10 && depth < 100, String(depth));
  });
});
