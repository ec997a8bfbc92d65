// Walks over the classes of @gitbeaker/rest: each method is called with marked arguments against a recorder to find the request it makes.
import { Gitlab } from '@gitbeaker/rest';
import type { Call, ThirdPartyClient, Found, Outcome } from '../../support/clientTable.ts';

interface Recorded {
  readonly verb: string;
  /** Path of the request. */
  readonly endpoint: string;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly asForm: boolean;
}

/** Instructions for calling a method so that it makes a request: the place of each argument, and the options that select the path. */
interface Recipe extends Found {
  readonly resource: string;
  readonly name: string;
  /** For each positional argument: the index of the path value, or the name of a parameter. */
  readonly positional: readonly (number | string)[];
  /** Options by name, with the index of the path value; undefined if only their presence matters. */
  readonly choosing: ReadonlyMap<string, number | undefined>;
  /** True if it sends a form; the names of its fields are sent unchanged. */
  readonly asForm: boolean;
  /** Index of the positional argument that is a file. */
  readonly file?: number;
}

type Method = (...given: unknown[]) => unknown;

const mark = (name: string | number): string => `mark-${name}-mark`;
const marks = /mark-(\w+)-mark/g;

/** Options that every method has and that choose no path. */
const COMMON = new Set(['asStream', 'sudo', 'showExpanded', 'maxPages', 'isForm', 'searchParams', 'then', 'toString', 'toJSON']);
const MAX_ARGUMENTS = 9;

export async function walkGitbeaker(): Promise<ThirdPartyClient> {
  let recorded: Recorded[] = [];
  type Options = { readonly body?: unknown; readonly searchParams?: unknown };
  const requester = (url: string, verb: string) => (endpoint: string, options?: Options) => {
    const sent = { ...membersOf(options?.searchParams), ...membersOf(options?.body) };
    const { pathname } = new URL(endpoint, url.endsWith('/') ? url : `${url}/`);
    recorded.push({ verb, endpoint: pathname, sent, asForm: options?.body instanceof FormData });
    return Promise.reject(new Error('the request was recorded and not sent'));
  };
  const requesterFn = ({ url }: { readonly url: string }) => ({
    get: requester(url, 'GET'),
    post: requester(url, 'POST'),
    put: requester(url, 'PUT'),
    patch: requester(url, 'PATCH'),
    delete: requester(url, 'DELETE'),
  });
  const client = new Gitlab({ host: 'http://127.0.0.1', token: 'none', requesterFn });
  const request = async (resource: object, method: Method, given: readonly unknown[]): Promise<Recorded | undefined> => {
    recorded = [];
    try {
      await method.apply(resource, [...given]);
    } catch {
      // The request has been recorded.
    }
    return recorded[0];
  };
  const recipes: Recipe[] = [];
  const silent: string[] = [];
  // Some methods print a deprecation warning each time.
  process.noDeprecation = true;
  for (const [resource, value] of Object.entries(client)) {
    if (!isObject(value) || !('requester' in value)) continue;
    for (const [name, method] of methodsOf(value)) {
      const found = await recipesOf({ resource, name }, (given) => request(value, method, given));
      recipes.push(...found);
      if (found.length === 0) silent.push(`${resource}.${name}`);
    }
  }
  return {
    found: recipes,
    silent,
    call: (call) => callRecipe(recipes, call),
  };
}

async function recipesOf(
  method: Pick<Recipe, 'resource' | 'name'>,
  request: (given: readonly unknown[]) => Promise<Recorded | undefined>,
): Promise<Recipe[]> {
  const found = new Map<string, Recipe>();
  const keep = (recipe: Recipe | undefined): void => {
    if (recipe !== undefined && !found.has(`${recipe.verb} ${recipe.path}`)) found.set(`${recipe.verb} ${recipe.path}`, recipe);
  };
  // Surplus arguments have no effect, so the longest argument list that has an effect is the method's own.
  for (let count = MAX_ARGUMENTS; count >= 0 && found.size === 0; count -= 1) {
    const positional = Array.from({ length: count }, (_, index) => mark(index));
    const read = new Set<string>();
    keep(recipeOf(method, await request([...positional, watched({}, read)]), count, []));
    const keys = [...read].filter((key) => !COMMON.has(key)).slice(0, 8);
    for (const chosen of subsetsOf(keys)) {
      const options = Object.fromEntries(chosen.map((key) => [key, mark(key)]));
      keep(recipeOf(method, await request([...positional, watched(options, read)]), count, chosen));
    }
  }
  // The remaining methods need an object for one of them, which is a file.
  for (let count = MAX_ARGUMENTS; count > 0 && found.size === 0; count -= 1) {
    for (let index = 0; index < count && found.size === 0; index += 1) {
      const content = new Blob(['content']);
      const file = Object.assign(content, { content, filename: mark(index) });
      const positional = Array.from({ length: count }, (_, other) => (other === index ? file : mark(other)));
      for (const options of [[], [{ filename: mark(index) }]]) {
        const recipe = recipeOf(method, await request([...positional, ...options]), count, []);
        keep(recipe === undefined ? undefined : { ...recipe, file: index });
      }
    }
  }
  return [...found.values()];
}

function recipeOf(
  method: Pick<Recipe, 'resource' | 'name'>,
  request: Recorded | undefined,
  count: number,
  chosen: readonly string[],
): Recipe | undefined {
  if (request === undefined) return undefined;
  const { endpoint } = request;
  if (/undefined|null|object%20|\[object|function/i.test(endpoint)) return undefined;
  const inPath = [...endpoint.matchAll(marks)].map(([, name = '']) => name);
  const parameters = new Map(
    Object.entries(request.sent).flatMap(([key, value]) => marksIn(value).map((name) => [name, key] as const)),
  );
  const positional: (number | string)[] = [];
  for (let index = 0; index < count; index += 1) {
    const location = inPath.indexOf(String(index));
    const parameter = parameters.get(String(index));
    if (location === -1 && parameter === undefined) return undefined;
    positional.push(location === -1 ? snakeCase(parameter ?? '') : location);
  }
  return {
    ...method,
    method: `${method.resource}.${method.name}`,
    verb: request.verb,
    path: endpoint.replaceAll(marks, '{}'),
    positional,
    asForm: request.asForm,
    choosing: new Map(
      chosen.flatMap((key) => {
        const location = inPath.indexOf(key);
        return location === -1 && parameters.has(key) ? [] : [[key, location === -1 ? undefined : location] as const];
      }),
    ),
  };
}

async function callRecipe(recipes: readonly Recipe[], call: Call): Promise<Outcome> {
  const recipe = recipes.find(({ method, verb, path }) => method === call.method && verb === call.verb && path === call.path);
  if (recipe === undefined) return { error: 'unknown method' };
  const params = { ...call.params };
  const given = recipe.positional.map((source, index) => {
    if (typeof source === 'number') return call.values[source];
    const value = params[source];
    delete params[source];
    return index === recipe.file && typeof value === 'string' ? { content: new Blob([value]), filename: 'lamp.txt' } : value;
  });
  const options = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [recipe.asForm ? name : camelCase(name), value]),
  );
  for (const [key, location] of recipe.choosing) options[key] = location === undefined ? true : call.values[location];
  const client = new Gitlab({ host: call.origin, ...(call.token === undefined ? { oauthToken: '' } : { token: call.token }) });
  const resource: unknown = Reflect.get(client, recipe.resource);
  try {
    const method = isObject(resource) ? methodsOf(resource).get(recipe.name) : undefined;
    const decoded = await method?.apply(resource, [...given, ...(Object.keys(options).length === 0 ? [] : [options])]);
    return { type: recipe.method, decoded: decoded instanceof Blob ? await decoded.text() : decoded };
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

/** Returns the methods of an object, including inherited ones, by name. */
function methodsOf(value: object): Map<string, Method> {
  const methods = new Map<string, Method>();
  for (let owner: unknown = value; isObject(owner) && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      const member: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value;
      if (name !== 'constructor' && isMethod(member) && !methods.has(name)) methods.set(name, member);
    }
  }
  return methods;
}

/** Returns options that record which of them are read. */
function watched(options: Readonly<Record<string, unknown>>, read: Set<string>): object {
  return new Proxy(options, {
    get: (target, key) => {
      if (typeof key === 'string') read.add(key);
      return Reflect.get(target, key);
    },
  });
}

/** Returns all subsets of one to three names. */
function subsetsOf(names: readonly string[]): string[][] {
  const grow = (sets: readonly (readonly string[])[]): string[][] =>
    sets.flatMap((set) => names.slice(names.indexOf(set.at(-1) ?? '') + 1).map((name) => [...set, name]));
  const ones = names.map((name) => [name]);
  const twos = grow(ones);
  return [...ones, ...twos, ...grow(twos)];
}

function marksIn(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(marks)].map(([, name = '']) => name);
  if (Array.isArray(value)) return value.flatMap(marksIn);
  return [];
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value instanceof FormData) {
    return Object.fromEntries([...value].map(([name, field]) => [name, typeof field === 'string' ? field : field.name]));
  }
  return isObject(value) ? { ...value } : {};
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}
