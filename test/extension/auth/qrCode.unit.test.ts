import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { encode } from 'uqr';
import { qrPage } from '../../../src/auth/qrCode.ts';

const address = 'https://gitlab.example.com/oauth/device?user_code=ABCD-EFGH';
const page = (changes: Partial<Parameters<typeof qrPage>[0]> = {}): string =>
  qrPage(
    { address, language: 'en', title: 'Sign In', text: 'Scan this.', alternative: 'Or enter ABCD-EFGH.', ...changes },
    'n0nce',
  );

describe('the page with the QR code', () => {
  it('the page with the QR code draws all modules of the QR code of the address, with a white border', () => {
    const { data, size } = encode(address, { border: 4 });
    const svg = /<svg[^>]*viewBox="0 0 (\d+) (\d+)"[^>]*>(.*)<\/svg>/s.exec(page());
    assert.ok(svg !== null);
    const [, width, height, inside = ''] = svg;
    const dark = data.flat().filter(Boolean).length;
    assert.equal((inside.match(/M[\d.]+,[\d.]+/g) ?? []).length, dark);
    assert.equal(width, height);
    assert.equal(Number(width) % size, 0);
    assert.ok(data[0]?.every((module) => !module));
  });

  it('the page with the QR code does not allow scripts or external resources', () => {
    assert.match(page(), /content="default-src 'none'; style-src 'nonce-n0nce'"/);
    assert.doesNotMatch(page(), /<script|\bstyle=|\bon\w+=|<link|<img/);
  });

  it('the page with the QR code contains the code as text, and a label for the picture', () => {
    assert.match(page(), /Or enter ABCD-EFGH\./);
    assert.ok(page().includes(`role="img" aria-label="${address}"`));
  });

  it('the page with the QR code escapes texts of a server', () => {
    const html = page({ address: 'https://x.example.com/"><script>', text: '<b>&' });
    assert.doesNotMatch(html, /<script|<b>/);
  });
});
