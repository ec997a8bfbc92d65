import path from 'node:path';
import Database from 'better-sqlite3';
import { isJsonObject } from '../../src/contract/json.ts';
import { startTestServer, TEST_ADMIN_TOKEN as token } from '../support/server.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { checkSameWork, type Limit, median, type Ratio, ratio, rounded, roundsUntilSure } from './harness.ts';
import { startIdle, startMeasured } from './measured.ts';
import { slower, slowness } from './slowness.ts';

/** Members of the large project, all of whom watch it. */
const MEMBERS = 10_000;
/** Members of the small project who watch it. */
const RECIPIENTS = 10;
const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' };
/** Longest wait of other requests while 10,000 recipients are decided: 99.9th percentile in milliseconds, minus that of an idle process. */
const MAX_WAIT: Limit = { atMost: 50 };
/** Cost of a comment that is mailed to 10 users, relative to one that is mailed to nobody. */
const MAX_COST: Limit = { atMost: 1.5 };
const MAX_ROUNDS = 25;
/** Number of comments whose recipients are decided while the waits are measured. */
const WAITS = 5;
/** Comments per round of the comparison, and how many are sent at once. */
const COMMENTS = 200;
const AT_ONCE = 10;

/** Measures how long requests wait while the recipients of comments are decided, and what mail adds to the cost of comments. */
export async function notifications(): Promise<readonly Ratio[]> {
  using folder = temporaryFolder();
  await fill(path.join(folder.path, 'signalbox.sqlite'));
  const slow = slower(
    { requests: '^project 1$', factor: slowness(0) },
    { requests: '^project 2$', factor: slowness(1), by: 'everything' },
  );
  const server = await startMeasured([
    ...slow,
    path.join(DIST, 'server.js'),
    'serve',
    '--data',
    folder.path,
    '--log-level',
    'error',
  ]);
  const idle = await startIdle();
  const target: Target = { origin: server.origin };
  try {
    await comment(target, 1);
    await untilDecided(target, 1);
    const durations: number[] = [];
    const waits: number[] = [];
    for (let round = 0; round < WAITS; round += 1) {
      await Promise.all([server.measured(), idle.measured()]);
      const start = performance.now();
      await comment(target, 1);
      await untilDecided(target, 1);
      durations.push(performance.now() - start);
      const [busy, control] = await Promise.all([server.measured(), idle.measured()]);
      waits.push(Math.max(0, busy.late - control.late));
    }
    await comments(target, 2);
    await comments(target, 3);
    const withMail: number[] = [];
    const withoutMail: number[] = [];
    const costs = await roundsUntilSure(MAX_COST, MAX_ROUNDS, async (round) => {
      const first = round % 2 === 0 ? 2 : 3;
      const one = await comments(target, first);
      const other = await comments(target, 5 - first);
      const [mailed, silent] = first === 2 ? [one, other] : [other, one];
      withMail.push(mailed);
      withoutMail.push(silent);
      return mailed / silent;
    });
    const [ofMany, ofSome, ofNobody] = workIn(path.join(folder.path, 'signalbox.sqlite'));
    const silent = (1 + costs.length) * COMMENTS;
    checkSameWork('comments and mails to many', ofMany, { comments: 1 + WAITS, mails: (1 + WAITS) * MEMBERS });
    checkSameWork('comments and mails to some', ofSome, { comments: silent, mails: silent * RECIPIENTS });
    checkSameWork('comments and mails to nobody', ofNobody, { comments: silent, mails: 0 });
    return [
      ratio(
        `waiting while ${MEMBERS} recipients of a comment are decided`,
        '99.9th percentile of the event loop delay in milliseconds, minus that of an idle process',
        waits,
        MAX_WAIT,
        { millisecondsUntilDecided: rounded(median(durations)) },
      ),
      ratio(
        `comment that is mailed to ${RECIPIENTS} users`,
        'time of 200 comments until all recipients are decided, with mail / without',
        costs,
        MAX_COST,
        {
          withMailMilliseconds: rounded(median(withMail) / COMMENTS),
          withoutMailMilliseconds: rounded(median(withoutMail) / COMMENTS),
        },
      ),
    ];
  } finally {
    await Promise.all([server.stop(), idle.stop()]);
  }
}

interface Target {
  readonly origin: string;
}

/** Creates three projects with an issue each: one with 10,000 watchers, one with 10, and one that nobody watches. */
async function fill(file: string): Promise<void> {
  await using filling = await startTestServer({ file });
  const { store } = filling.platform;
  for (const [index, watchers] of [MEMBERS, RECIPIENTS, 0].entries()) {
    const project = index + 1;
    for (const [path, json] of [
      ['/projects', { name: `Project ${project}` }],
      [`/projects/${project}/issues`, { title: 'Discussed' }],
    ] as const) {
      const response = await filling.request('POST', `/api/v4${path}`, { token, json });
      if (response.status !== 201) throw new Error(response.text);
    }
    store.transaction(() => {
      for (let user = 1; user <= watchers; user += 1) {
        const name = `member${user}`;
        if (index === 0) {
          store.run(
            `INSERT INTO users (username, name, email, created_at, updated_at)
             VALUES ($name, $name, $name || '@example.com', 0, 0)`,
            { name },
          );
        }
        const member = store.get<{ id: number }>('SELECT id FROM users WHERE username = $name', { name });
        const values = { user: member?.id ?? 0, project };
        store.run(
          'INSERT INTO project_members (project_id, user_id, access_level, created_at) VALUES ($project, $user, 30, 0)',
          values,
        );
        store.run(
          'INSERT INTO notification_settings (user_id, project_id, level, updated_at) VALUES ($user, $project, 2, 0)',
          values,
        );
      }
    });
  }
}

async function comment({ origin }: Target, project: number): Promise<void> {
  const response = await fetch(`${origin}/api/v4/projects/${project}/issues/1/notes`, {
    method: 'POST',
    headers: { ...headers, 'X-Bench': `project ${project}` },
    body: JSON.stringify({ body: 'The lamp flickers again.' }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(text);
}

/** Sends comments on an issue. Returns the milliseconds until the recipients of all are decided. */
async function comments(target: Target, project: number): Promise<number> {
  const start = performance.now();
  for (let sent = 0; sent < COMMENTS; sent += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => comment(target, project)));
  }
  await untilDecided(target, project);
  return performance.now() - start;
}

/** Resolves when the recipients of the newest event are decided, and with it those of all others. */
async function untilDecided({ origin }: Target, project: number): Promise<void> {
  for (;;) {
    const response = await fetch(`${origin}/api/v4/notification_events?per_page=1`, {
      headers: { ...headers, 'X-Bench': `project ${project}` },
    });
    const found: unknown = await response.json();
    const [newest]: unknown[] = Array.isArray(found) ? found : [];
    if (!isJsonObject(newest)) throw new Error('there is no event');
    if (newest['status'] !== 'pending') return;
  }
}

/** Returns the number of comments and of mails about them for each project. */
function workIn(file: string): readonly { readonly comments: number; readonly mails: number }[] {
  const database = new Database(file, { readonly: true });
  try {
    return database
      .prepare<[], { readonly comments: number; readonly mails: number }>(
        `SELECT (SELECT count(*) FROM notes n WHERE n.project_id = p.id AND n.system = 0) AS comments,
           (SELECT count(*) FROM notification_decisions d JOIN notification_events e ON e.id = d.event_id
            WHERE e.project_id = p.id AND e.event = 'new_note' AND d.mail_id IS NOT NULL) AS mails
         FROM projects p ORDER BY p.id`,
      )
      .all();
  } finally {
    database.close();
  }
}
