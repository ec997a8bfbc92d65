// A failing program of two files, which a bundler minifies into one. Usage: `shop.mjs PACKAGES SDK`, with the DSN in SHOP_DSN.
import { createRequire } from 'node:module';
import { totalOfItems } from './cart.mjs';

const [packages, sdk] = process.argv.slice(2);
const Sentry = createRequire(packages)(sdk);

Sentry.init({ dsn: process.env.SHOP_DSN, release: 'shop@1.2.3' });

function checkOut() {
  console.log(totalOfItems([]));
}

setTimeout(() => checkOut(), 0);
