// A browser without a window: opens pages, follows redirects, keeps cookies and sends forms to servers in other processes.
import assert from 'node:assert/strict';
import { formsOf } from './html.ts';

export interface VisitedPage {
  readonly address: URL;
  readonly status: number;
  readonly html: string;
}

export interface PageVisitor {
  /** Opens an address and follows redirects. */
  readonly open: (address: string) => Promise<VisitedPage>;
  /** Fills in the form of the page with this action, sends it, and follows redirects. */
  readonly submit: (page: VisitedPage, action: string, fields?: Readonly<Record<string, string>>) => Promise<VisitedPage>;
}

/** Returns a browser without cookies. */
export function createPageVisitor(): PageVisitor {
  /** Values by origin and name. */
  const cookies = new Map<string, Map<string, string>>();

  async function request(address: URL, form?: URLSearchParams): Promise<Response> {
    const own = cookies.get(address.origin) ?? new Map<string, string>();
    cookies.set(address.origin, own);
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: [...own].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      own.set(name, value);
    }
    return response;
  }

  async function visit(first: URL, form?: URLSearchParams): Promise<VisitedPage> {
    let address = first;
    let response = await request(address, form);
    for (let redirects = 0; redirects < 10; redirects += 1) {
      const html = await response.text();
      const location = response.headers.get('location');
      if (location === null) return { address, status: response.status, html };
      address = new URL(location, address);
      response = await request(address);
    }
    throw new Error(`${first.href} has too many redirects`);
  }

  return {
    open: (address) => visit(new URL(address)),
    submit: async (page, action, fields = {}) => {
      const form = formsOf(page.html).find((candidate) => candidate.action === action);
      assert.ok(form, `no form for ${action} on ${page.address.href}`);
      return visit(new URL(action, page.address), new URLSearchParams({ ...form.fields, ...fields }));
    },
  };
}
