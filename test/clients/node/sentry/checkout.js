// A page that sends an error of a class: `?release=…&dsn=…`. Its title becomes `sent` at the end. A build defines IS_LARGER, so that two builds
// have other names and positions.
import * as Sentry from '@sentry/browser';

const options = new URLSearchParams(location.search);

if (IS_LARGER) {
  class Banner {
    show(text) {
      document.documentElement.dataset.banner = text;
    }
  }
  class Campaign {
    begin(banner) {
      banner.show('summer');
    }
  }
  new Campaign().begin(new Banner());
}

class Cart {
  items = [];

  add(item) {
    if (item.price === undefined) throw new TypeError('the item has no price');
    this.items.push(item);
  }
}

class Checkout {
  constructor(cart) {
    this.cart = cart;
  }

  order(item) {
    this.cart.add(item);
  }
}

Sentry.init({ dsn: options.get('dsn'), release: options.get('release') });
try {
  new Checkout(new Cart()).order({});
} catch (error) {
  Sentry.captureException(error);
}
void Sentry.flush(5000).then(() => {
  document.title = 'sent';
});
