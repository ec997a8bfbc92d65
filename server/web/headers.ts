import helmet from 'koa-helmet';
import type { Middleware } from 'koa';
import { areaOf } from '../http/areas.ts';

/** Headers of every page: nothing from elsewhere, no script at all, no frame around it, no referrer to anybody. */
export function pageHeaders(): Middleware {
  const rule = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    // Whether the server is reached by https is the proxy's affair, and so is this header.
    strictTransportSecurity: false,
  });
  return async (ctx, next) => {
    await (areaOf(ctx.path) === 'page' ? rule(ctx, next) : next());
  };
}
