import type { JsonObject } from '../../../src/contract/json.ts';

/** Numbers of cards such as those that issuers publish for tests, in the forms in which people and programs write them. */
export const cards: Readonly<Record<string, string>> = {
  Visa: '4111111111111111',
  'Visa in groups': '4111 1111 1111 1111',
  'Visa of 19 digits': '4000000000000000006',
  Mastercard: '5555555555554444',
  'Mastercard with dashes': '5105-1051-0510-5100',
  'Mastercard from 2221 on': '2223003122003222',
  'Mastercard up to 2720': '2720990000000007',
  'American Express': '378282246310005',
  'American Express in groups': '3714 496353 98431',
  'American Express with dashes': '3782-822463-10005',
  Discover: '6011111111111117',
  'Discover in groups': '6011 0009 9013 9424',
  'Diners Club': '30569309025904',
  'Diners Club in groups': '3852 000002 3237',
  JCB: '3530111333300000',
  UnionPay: '6250946000000016',
  'UnionPay of 19 digits': '6250947000000000019',
  Maestro: '6759649826438453',
  'Maestro of 12 digits': '501800000009',
};

/** Functions that put a text into one place of an event in which numbers of cards are filtered. */
export const cardPlaces: Readonly<Record<string, (text: string) => JsonObject>> = {
  'value of an exception': (value) => ({ exception: [{ type: 'E', value }] }),
  'value of an exception that is an object': (value) => ({ exception: [{ type: 'E', value: { value } }] }),
  message: (message) => ({ message, exception: undefined }),
  'formatted message': (formatted) => ({ logentry: { message: 'it says %s', formatted }, exception: undefined }),
  'parameter of a message': (text) => ({ logentry: { message: 'it says %s', params: [text] }, exception: undefined }),
  'message of a breadcrumb': (message) => ({ breadcrumbs: [{ message }] }),
  'data of a breadcrumb': (text) => ({ breadcrumbs: [{ data: { note: text } }] }),
  extra: (text) => ({ extra: { deep: [{ note: text }] } }),
  context: (text) => ({ contexts: { app: { note: text } } }),
  variable: (text) => ({ exception: [{ type: 'E', stacktrace: { frames: [{ function: 'f', vars: { note: text } }] } }] }),
  'query of an address': (text) => ({ request: { url: `https://shop.example/pay?note=${text}` } }),
  'query string': (text) => ({ request: { query_string: `note=${text}` } }),
  'query as a map': (text) => ({ request: { query_string: { note: text } } }),
  'body of a request': (data) => ({ request: { data } }),
  'member of a body': (note) => ({ request: { data: { note } } }),
  'JSON in a body': (note) => ({ request: { data: JSON.stringify({ note }) } }),
  'form in a body': (text) => ({ request: { data: `note=${text}&amount=7` } }),
  'a member that nobody reads': (text) => ({ of_tomorrow: [{ note: text }] }),
};
