// Connection from the suites in the extension host to the test process outside, which plans the run and receives the results.
import http from 'node:http';

/** Address of the test process; undefined in desktop VS Code, where nobody is outside. */
const address = process.env['SUITE_PLAN_ADDRESS'];

export interface Plan {
  /** Full titles of the tests to run, in this order. */
  readonly titles: readonly string[];
  readonly timeout: number;
}

export interface Result {
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** Stack of the failure. */
  readonly text?: string;
}

/** Returns the tests to run; undefined if all. */
export async function plan(): Promise<Plan | undefined> {
  if (address === undefined) return undefined;
  // This request is never answered: the test process notices by it when the extension host ends.
  http.get(`${address}/alive`).on('error', () => {});
  return JSON.parse(await request('GET', '/plan')) as Plan;
}

/** Reports a result, and waits until the test process has taken screenshots of a failure. */
export async function report(result: Result): Promise<void> {
  console.log(`[in-host] ${JSON.stringify(result)}`);
  if (address !== undefined) await request('POST', '/result', result);
}

export async function reportEnd(text: string): Promise<void> {
  console.log(`[in-host] ${text}`);
  if (address !== undefined) await request('POST', '/end', { text });
}

/** Not `fetch`: what it receives is searched for in the data of VS Code. */
function request(method: string, path: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = http.request(`${address}${path}`, { method }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          text += chunk;
        })
        .on('end', () => resolve(text));
    });
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}
