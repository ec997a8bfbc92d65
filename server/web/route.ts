import { noteActor } from '../actor.ts';
import type { HttpResponse, RequestContext } from '../http/requestContext.ts';
import {
  entityTooLarge,
  forbidden,
  notFound,
  unreadableRequest,
  unsupportedContentType,
  type WireFailure,
} from '../http/failures.ts';
import { isForeignOrigin } from '../http/hostGuard.ts';
import type { Route } from '../http/route.ts';
import type { SpecRef } from '../http/specRefs.ts';
import type { Caller, User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import type { Availability } from '../profile.ts';
import { errorContent } from './errorPage.ts';
import { layout, type PageContent } from './layout.ts';
import { type BrowserSession, openSession } from './session.ts';

/** A form is never longer. */
const FORM_LIMIT = 65_536;

/** A page of the ledger. */
interface PageRow extends Availability {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly specRef: SpecRef;
  readonly status: Route['status'];
  /** `user` leads people who are not signed in to the sign-in page and back. `anyone` when left out. */
  readonly role?: 'anyone' | 'user';
  /** Status of a success: 200 for GET, 303 otherwise, when left out. */
  readonly response?: number;
}

/** A request on a page. */
export interface PageRequest {
  readonly context: RequestContext;
  readonly now: number;
  readonly baseUrl: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Fields of a sent form; its origin and token were checked. */
  readonly form: URLSearchParams;
  /** Whoever is signed in on this browser. */
  readonly caller: Caller | undefined;
  /** When they signed in on it. */
  signedInAt(): number | undefined;
  /** Value of the hidden field of a form (`formTokenField`); makes a session when there is none. */
  formToken(): string;
  /** Whose password was right on this browser, and who has yet to show their second factor. */
  halfSignedIn(): User | undefined;
  signIn(user: User): void;
  /** Lets this browser show the second factor of a person next. */
  beginSignIn(user: User): void;
  signOut(): void;
}

/** A request on a page that only people who are signed in see. */
export interface SignedInPageRequest extends PageRequest {
  readonly caller: Caller;
}

/** Leads the browser on with 303, so that a reload does not send a form again. */
export interface Redirection {
  readonly redirectTo: string;
}

/** Content that is sent as it is; its own headers count before those of pages. */
export interface FileResponse {
  readonly file: HttpResponse;
}

/** What the handler of a page returns. */
export type PageResponse = PageContent | Redirection | FileResponse;

/** A page: HTML, browser session, protection of forms. The handler returns what the page says, or where to go on. */
export function pageRoute(
  platform: Platform,
  row: PageRow,
  handle: (request: PageRequest) => PageResponse | Promise<PageResponse>,
): Route {
  const { role = 'anyone', response, ...metadata } = row;
  return {
    ...metadata,
    area: 'page',
    scopes: [],
    role,
    successStatus: response ?? (row.method === 'GET' ? 200 : 303),
    handle: async (context) => {
      const session = openSession(platform, context);
      const form = await formOf(row.method, context, session);
      const { caller } = session;
      if (caller !== undefined) {
        context.noteUser(caller.user.username);
        noteActor(caller.user.id);
      }
      if (role === 'user' && caller === undefined) return redirect(signInPath(context), session);
      const result = await handle({
        context,
        now: context.now,
        baseUrl: context.baseUrl,
        pathParameters: context.pathParameters,
        query: new URLSearchParams(context.query),
        form,
        caller,
        signedInAt: () => session.signedInAt,
        formToken: session.formToken,
        halfSignedIn: () => session.halfSignedIn,
        signIn: session.signIn,
        beginSignIn: session.beginSignIn,
        signOut: session.signOut,
      });
      if ('redirectTo' in result) return redirect(result.redirectTo, session);
      if ('file' in result) return result.file;
      return render(platform, session, result);
    },
  };
}

/** A page for people who are signed in; others are led to the sign-in page and back. */
export function personPageRoute(
  platform: Platform,
  row: Omit<PageRow, 'role'>,
  handle: (request: SignedInPageRequest) => PageContent | Redirection | Promise<PageContent | Redirection>,
): Route {
  return pageRoute(platform, { ...row, role: 'user' }, (request) => {
    if (request.caller === undefined) throw notFound('Page', 'no user is signed in');
    return handle({ ...request, caller: request.caller });
  });
}

/** Refusals of pages, also of addresses that no page has: a page too. */
export function pageRefusal(platform: Platform): (failure: WireFailure, context: RequestContext) => Promise<HttpResponse> {
  return (failure, context) => render(platform, openSession(platform, context), errorContent(failure));
}

async function render(platform: Platform, session: BrowserSession, content: PageContent): Promise<HttpResponse> {
  const user = session.caller?.user;
  const body = await layout({ platform, user, formToken: user === undefined ? undefined : session.formToken() }, content);
  return {
    status: content.status ?? 200,
    type: 'text/html; charset=utf-8',
    body,
    headers: { ...content.headers, ...cookieHeader(session) },
  };
}

function redirect(path: string, session: BrowserSession): HttpResponse {
  return { status: 303, headers: { Location: path, ...cookieHeader(session) } };
}

function cookieHeader(session: BrowserSession): Readonly<Record<string, readonly string[]>> {
  const cookies = session.cookies();
  return cookies.length === 0 ? {} : { 'Set-Cookie': cookies };
}

/** The way to the sign-in page and back to where a GET was going. */
export function signInPath({ method, path, query }: RequestContext): string {
  if (method !== 'GET' && method !== 'HEAD') return '/users/sign_in';
  return `/users/sign_in?return_to=${encodeURIComponent(query === '' ? path : `${path}?${query}`)}`;
}

async function formOf(method: PageRow['method'], context: RequestContext, session: BrowserSession): Promise<URLSearchParams> {
  if (method === 'POST') return checkedForm(context, session);
  if (method === 'PUT' || method === 'DELETE') checkProgramsRequest(context, session);
  return new URLSearchParams();
}

/**
 * A page's own script sends DELETE, whose body has no meaning (RFC 9110 §9.3.5), and PUT, whose body may be JSON: the token stands in a
 * header.
 */
function checkProgramsRequest(context: RequestContext, session: BrowserSession): void {
  if (isFromElsewhere(context)) throw forbidden(undefined, 'the request was sent by a page of another site', 'origin');
  const token = context.headers['x-csrf-token'];
  if (typeof token === 'string' && session.isFormToken(token)) return;
  throw forbidden(
    undefined,
    'the header X-CSRF-Token does not match the session cookie: send the authenticity_token of a form of this session',
    'form.token',
  );
}

async function checkedForm(context: RequestContext, session: BrowserSession): Promise<URLSearchParams> {
  if (isFromElsewhere(context)) throw forbidden(undefined, 'the form was sent by a page of another site', 'origin');
  const type = context.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/x-www-form-urlencoded') throw unsupportedContentType(type);
  const body = await context.body(FORM_LIMIT);
  if (body.length > FORM_LIMIT) throw entityTooLarge(FORM_LIMIT);
  const form = new URLSearchParams(body.toString('utf8'));
  const names = new Set<string>();
  for (const name of form.keys()) {
    if (names.has(name)) throw unreadableRequest(`the field "${name}" was sent more than once`);
    names.add(name);
  }
  if (!session.isFormToken(form.get('authenticity_token') ?? '')) {
    throw forbidden(
      undefined,
      'the field authenticity_token does not match the session cookie: reload the page of the form and send its current value',
      'form.token',
    );
  }
  return form;
}

/**
 * Whether a browser says that another site sent the form. Pages with `Referrer-Policy: no-referrer`, as ours, make browsers send
 * `Origin: null` with their own forms too (Fetch, "append a request Origin header"); Sec-Fetch-Site tells then, where there is
 * one, and the form token always does.
 */
function isFromElsewhere(context: RequestContext): boolean {
  if (context.headers.origin !== 'null') return isForeignOrigin(context, context.baseUrl);
  const site = context.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
