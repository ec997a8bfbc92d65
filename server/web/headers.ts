import helmet from 'koa-helmet';
import type { Middleware } from 'koa';
import type { PathAreas } from '../http/areas.ts';

/** Sets the security headers of pages: no external content, no scripts, no framing, and no referrer. */
export function pageHeaders({ areaOf }: PathAreas): Middleware {
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
    // HTTPS is handled by a proxy, and so is this header.
    strictTransportSecurity: false,
  });
  return async (ctx, next) => {
    await (areaOf(ctx.path) === 'page' ? rule(ctx, next) : next());
  };
}
