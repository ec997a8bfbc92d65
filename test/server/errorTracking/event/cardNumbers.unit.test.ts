import assert from 'node:assert/strict';
import { readPayload } from '../../../../server/features/errorTracking/body/storePayload.ts';
import { contentScrubber, textScrubber } from '../../../../server/features/errorTracking/event/scrubText.ts';
import { mayHoldSecrets, namesSecret } from '../../../../server/features/errorTracking/event/secretScan.ts';
import type { TrackedEvent } from '../../../../server/features/errorTracking/event/trackedEvent.ts';
import type { JsonObject } from '../../../../src/contract/json.ts';
import type { Random } from '../../../support/random.ts';
import { randomOf } from '../../../support/seed.ts';
import { normalised } from '../reading.ts';
import { cardPlaces, cards } from '../plantedCards.ts';

const IDS = 10_000;

function digitsOf(random: Random, length: number): string {
  return `${random.integer(1, 9)}${Array.from({ length: length - 1 }, () => random.integer(0, 9)).join('')}`;
}

function* idsOf(length: number): Generator<string, void, undefined> {
  const random = randomOf(`IDs of ${length} digits`);
  for (let count = 0; count < IDS; count += 1) yield digitsOf(random, length);
}

const textOf = ({ tags, modules, ...event }: TrackedEvent): string => JSON.stringify([[...tags], [...modules], event]);

describe('numbers of cards', () => {
  for (const [name, card] of Object.entries(cards)) {
    it(`are filtered in contents and kept in other texts: ${name}`, () => {
      for (const [before, behind] of [
        ['', ''],
        ['the card ', ' was declined'],
        ['1234 2024 ', ' 2024 1234'],
        ['card=', '&amount=7'],
        ['{"card":"', '"}'],
        ['{"note":"the card: ', '"}'],
        ['card%3D', ''],
        [String.raw`\n`, '.'],
        ['(', ')'],
      ] as const) {
        const text = `${before}${card}${behind}`;
        assert.ok(contentScrubber.mayChange(text));
        assert.equal(contentScrubber.scrub(text), `${before}[Filtered]${behind}`);
        assert.equal(textScrubber.scrub(text), text);
      }
    });
  }

  for (const text of [
    '4111111111111112',
    '4222222222222',
    '622202123456789013',
    '411111111111111111',
    '9111111111111111',
    '4111 1111-1111 1111',
    '4111 111 11111 1111',
    '4111-1111-1111-1111-1111',
    '0.4111111111111111',
    '4111111111111111.25',
    'x4111111111111111',
    'order-4111111111111111',
    '4111111111111111_1',
    '41111111-1111-1111-1111-111111111111',
    'id=4111111111111111',
    'order_id: 4111111111111111',
    '{"userId": "4111111111111111"}',
    'items[id]=4111111111111111',
    'items%5Bid%5D=4111111111111111',
    '{"number":4111111111111111,"list":[4111111111111111, 5555555555554444]}',
    'received {"number": 4111111111111111}',
    '[4111111111111111,5555555555554444]',
  ]) {
    it(`"${text}" has none`, () => assert.equal(contentScrubber.scrub(text), text));
  }

  for (const [place, eventOf] of Object.entries(cardPlaces)) {
    it(`are filtered in: ${place}`, () => {
      for (const card of Object.values(cards)) {
        const payload = eventOf(`harbour ${card} quay`);
        assert.ok(mayHoldSecrets(payload));
        assert.ok(namesSecret(payload) || normalised(payload).problems.some(({ type }) => type === 'scrubbed'));
        const event = textOf(normalised(payload));
        assert.ok(!event.includes(card), event);
        assert.match(event, /harbour.{1,3}\[Filtered\]|"problems":\[\]/);
      }
    });
  }

  it('are filtered if a message has them in several parameters', () => {
    const payload = { logentry: { message: '%s-%s-%s-%s', params: ['4111', '1111', '1111', '1111'] } };
    assert.ok(mayHoldSecrets(payload));
    assert.equal(normalised(payload).message?.text, '[Filtered]');
  });
});

describe('places whose values are no numbers of cards', () => {
  const card = '4111111111111111';
  const unfiltered: Readonly<Record<string, JsonObject>> = {
    'ID of a user': { user: { id: card, username: card, email: `${card}@example.com` } },
    tag: { tags: { order: card } },
    'list of tags': { tags: [['order', card]] },
    'name of a tag': { tags: { [card]: 'x' } },
    fingerprint: { fingerprint: [card] },
    header: { request: { headers: { 'X-Request-Id': card } } },
    'path of an address': { request: { url: `https://shop.example/orders/${card}` } },
    trace: { contexts: { trace: { trace_id: card, data: { parent: card } } } },
    'ID in extra': { extra: { id: card, order_id: card, orderId: card, ids: [card], deep: [{ uid: card }] } },
    'ID in a variable': { stacktrace: { frames: [{ function: 'f', vars: { order_id: card } }] } },
    'ID in the data of a breadcrumb': { breadcrumbs: [{ data: { request_id: card } }] },
    'ID in the body of a request': { request: { data: { id: card } } },
    'ID in a query': { request: { query_string: `order_id=${card}` } },
    transaction: { transaction: card },
    release: { release: card, dist: card, environment: card, server_name: card, logger: card },
    function: { stacktrace: { frames: [{ function: card, module: card, filename: card, abs_path: card, package: card }] } },
    'line of source': { stacktrace: { frames: [{ function: 'f', context_line: `pay("${card}")`, pre_context: [card] }] } },
    'type of an exception': { exception: [{ type: card, module: card, mechanism: { type: card } }] },
    'category of a breadcrumb': { breadcrumbs: [{ category: card, type: card }] },
    modules: { modules: { shop: card } },
    'JSON number': { extra: { number: Number(card), list: [Number(card)] }, request: { data: { number: Number(card) } } },
    'JSON number in a body': { request: { data: `{"number":${card}}` } },
    'parameter that is a JSON number': { logentry: { message: 'order %s', params: [Number(card)] } },
  };
  for (const [place, payload] of Object.entries(unfiltered)) {
    it(place, () => {
      const event = normalised(payload);
      assert.ok(textOf(event).includes(card));
      assert.deepEqual(event.problems, []);
      assert.ok(!namesSecret(payload));
    });
  }

  it(`${IDS} random IDs of 18 digits are kept everywhere`, () => {
    const ids = [...idsOf(18)];
    for (let from = 0; from < IDS; from += 40) {
      const some = ids.slice(from, from + 40);
      const list = some.join(' ');
      const payload = readPayload(
        Buffer.from(
          JSON.stringify({
            message: `orders ${list}`,
            exception: [{ type: 'E', value: list, stacktrace: { frames: [{ function: 'f', vars: { list, some } }] } }],
            breadcrumbs: [{ message: some.join(','), data: { some } }],
            extra: { list, some, path: some.join('/'), json: JSON.stringify({ some }) },
            contexts: { order: { list: some.map((id) => `order ${id}`) } },
            request: { query_string: some.map((id) => `order=${id}`).join('&'), data: { form: some.join('&a=') } },
            user: { id: some[0], username: some[1] },
            tags: some.map((id, index) => [`tag${index}`, id]),
            fingerprint: some.slice(0, 30),
          }).replace('"message"', `"numbers":[${some.join(',')}],"message"`),
        ),
      );
      const event = normalised(payload);
      assert.ok(!mayHoldSecrets(payload) && !namesSecret(payload), list);
      assert.deepEqual(event.problems, []);
      const text = textOf(event);
      for (const id of some) assert.ok(text.split(id).length > 8, id);
    }
  });

  for (const length of [16, 19]) {
    it(`${IDS} random IDs of ${length} digits are kept as user, tag, member for an ID and JSON number`, () => {
      for (const id of idsOf(length)) {
        const event = normalised(
          readPayload(
            Buffer.from(
              `{"user":{"id":"${id}"},"tags":{"order":"${id}"},"extra":{"id":"${id}","order_id":"${id}","orderId":"${id}","number":${id}}}`,
            ),
          ),
        );
        assert.deepEqual(event.problems, []);
        assert.deepEqual([event.user?.id, event.tags.get('order')], [id, id]);
        assert.equal(JSON.stringify(event.extra), `{"id":"${id}","order_id":"${id}","orderId":"${id}","number":${id}}`);
      }
    });
  }

  it(`${IDS} random hexadecimal IDs and UUIDs are kept in texts`, () => {
    const random = randomOf('hexadecimal IDs');
    for (let count = 0; count < IDS; count += 1) {
      const hex = Array.from({ length: 32 }, () => random.integer(0, 15).toString(16)).join('');
      const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      // Thirty-two digits without a letter are longer than any card.
      const text = `trace ${hex}, request ${uuid}`;
      assert.equal(contentScrubber.scrub(text), text);
    }
  });
});
