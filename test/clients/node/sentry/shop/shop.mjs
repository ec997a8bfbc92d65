// A program of two files that a bundler makes one small file of, and that fails: `shop.mjs PACKAGES SDK`.
import { createRequire } from 'node:module';
import { totalOfItems } from './cart.mjs';

const [packages, sdk] = process.argv.slice(2);
const Sentry = createRequire(packages)(sdk);

Sentry.init({ dsn: process.env.SHOP_DSN, release: 'shop@1.2.3' });

function checkOut() {
  console.log(totalOfItems([]));
}

setTimeout(() => checkOut(), 0);
