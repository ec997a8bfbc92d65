import { DAY, HOUR, MINUTE } from '../core/clock.ts';
import type { PlannedPush } from '../features/preparedRepositories/preparedRepositories.ts';
import { comingsAndGoings, type DemoPerson, type DemoProject, people } from './demoPeople.ts';
import { answerTexts, reviewTexts, type Trade } from './demoTexts.ts';
import { type Random, randomFrom } from './random.ts';

/** Random seed of pushes, separate because repositories were added to the demo data later. */
const CODE_SEED = 20_261_121;
/** Hour of the day at which every project of the day exists. */
const FIRST_PUSH = 9;
const RELEASE_EVERY = 4;
/** Random seed of merge requests, separate because they were added even later. */
const MERGING_SEED = 20_261_122;

const ROOT: DemoPerson = { username: 'root', name: 'Administrator', bio: '' };

/** A push in the demo data. */
export interface DemoPush {
  readonly username: string;
  /** Time in milliseconds since the epoch. */
  readonly time: number;
  readonly plan: PlannedPush;
}

/** A merge request of the demo data: its actions with their users and times. */
export interface DemoMergeRequest {
  /** Source branch. */
  readonly source: string;
  readonly title: string;
  readonly description: string;
  readonly username: string;
  readonly time: number;
  readonly reviewer: string;
  readonly notes: readonly { readonly username: string; readonly time: number; readonly body: string }[];
  readonly approvedAt: number | undefined;
  /** Undefined for an open merge request. A merge is also one of the pushes. */
  readonly end: { readonly kind: 'merge' | 'close'; readonly username: string; readonly time: number } | undefined;
}

export interface DemoCode {
  /** Sorted by time. */
  readonly pushes: readonly DemoPush[];
  readonly mergeRequests: readonly DemoMergeRequest[];
}

/** Returns the pushes to a project since its creation, and the merge requests of its branches. */
export function codeOf(project: DemoProject, openedOn: number, start: number, days: number): DemoCode {
  const random = randomFrom(CODE_SEED + [...project.name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0));
  const owner = named(project.owner);
  const maintainers = [owner, ...membersWith(project, 40)];
  const developers = membersWith(project, 30);
  const pushes: DemoPush[] = [];
  const drafts: DemoDraft[] = [];
  const things = [...project.things];
  const written: string[] = [];
  let releases = 0;
  const commit = (
    time: number,
    person: DemoPerson,
    message: string,
    files: Readonly<Record<string, string>>,
    branch = 'main',
  ): void => {
    const contents = Object.entries(files).map(
      ([path, text]) => [path, { content: Buffer.from(text), executable: false }] as const,
    );
    const plan = { kind: 'commit', user: authorOf(person), at: time, branch, message, files: new Map(contents) } as const;
    pushes.push({ username: person.username, time, plan });
  };
  for (let day = openedOn; day < days; day += random.integer(7, 14)) {
    const time = start + day * DAY + FIRST_PUSH * HOUR + random.integer(0, 420) * MINUTE;
    if (day === openedOn) {
      commit(time, owner, 'Initial commit', { 'README.md': `# ${project.name}\n\n${project.description}.\n` });
      continue;
    }
    const isNew = things.length > 0 && (written.length === 0 || random.chance(0.7));
    const thing = (isNew ? things.shift() : undefined) ?? random.pick(project.things);
    if (isNew) written.push(thing);
    const { path, text } = fileAbout(project.trade, thing, random, isNew);
    const message = `${isNew ? 'Add' : 'Rework'} ${thing}${random.chance(0.4) ? `\n\nAs we agreed with the harbours.` : ''}`;
    commit(time, pick(random, maintainers), message, { [path]: text });
    if (pushes.length % RELEASE_EVERY === 0) {
      releases += 1;
      const later = time + 30 * MINUTE;
      pushes.push({
        username: owner.username,
        time: later,
        plan: { kind: 'tag', user: authorOf(owner), at: later, name: `v0.${releases}.0`, branch: 'main' },
      });
    }
    if (developers.length > 0 && random.chance(0.25)) {
      const other = random.pick(project.things);
      const draft = fileAbout(project.trade, other, random, false);
      const person = pick(random, developers);
      const branch = `try-${slug(other)}-${day}`;
      commit(time + 50 * MINUTE, person, `Try another way for ${other}`, { [draft.path]: draft.text }, branch);
      drafts.push({ branch, thing: other, path: draft.path, person, time: time + 50 * MINUTE });
    }
  }
  return withMergeRequests(
    project,
    pushes,
    [...drafts, ...latestDrafts(project, pushes, start + days * DAY)],
    start + days * DAY,
  );
}

/** A feature branch. */
interface DemoDraft {
  readonly branch: string;
  readonly thing: string;
  /** File that the branch changes. */
  readonly path: string;
  readonly person: DemoPerson;
  readonly time: number;
  readonly staysOpen?: boolean;
}

/** Adds branches of the last days, which are not merged yet, to the pushes. */
function latestDrafts(project: DemoProject, pushes: DemoPush[], until: number): DemoDraft[] {
  const random = randomFrom(MERGING_SEED + project.things.length);
  const isGone = ({ username }: DemoPerson): boolean =>
    comingsAndGoings.some((change) => change.project === project.name && change.username === username && change.level === null);
  const developers = membersWith(project, 30).filter((person) => !isGone(person));
  if (developers.length === 0) return [];
  return project.things.slice(0, 2).map((thing, index): DemoDraft => {
    const person = pick(random, developers);
    const time = until - random.integer(2, 9) * DAY + random.integer(9, 14) * HOUR;
    const branch = `describe-${slug(thing)}`;
    const path = `notes/${slug(thing)}.md`;
    const text = `# ${thing.charAt(0).toUpperCase()}${thing.slice(1)}\n\nWhat we know about it, and whom to ask: ${person.name}.\n`;
    const files = new Map([[path, { content: Buffer.from(text), executable: false }]]);
    const plan = { kind: 'commit', user: authorOf(person), at: time, branch, message: `Describe ${thing}`, files } as const;
    pushes.push({ username: person.username, time, plan });
    return { branch, thing, path, person, time, staysOpen: index === 0 };
  });
}

/** Returns a merge request for every branch. Most are merged after some days, unless main changed the same file meanwhile. */
function withMergeRequests(
  project: DemoProject,
  pushes: readonly DemoPush[],
  drafts: readonly DemoDraft[],
  until: number,
): DemoCode {
  const random = randomFrom(MERGING_SEED + project.name.length);
  const owner = named(project.owner);
  const merges: DemoPush[] = [];
  const isChanged = (path: string, from: number, to: number): boolean =>
    [...pushes, ...merges].some(
      ({ time, plan }) =>
        time >= from &&
        time <= to &&
        (plan.kind === 'commit'
          ? plan.branch === 'main' && plan.files.has(path)
          : plan.kind === 'merge' && mergedPath(plan.source) === path),
    );
  const mergedPath = (branch: string): string | undefined => drafts.find((draft) => draft.branch === branch)?.path;
  const mergeRequests = drafts.map(({ branch, thing, path, person, time: pushed, staysOpen = false }): DemoMergeRequest => {
    const opened = pushed + random.integer(4, 40) * MINUTE;
    const reviewer = owner === person ? named(membersWith(project, 40)[0]?.username ?? project.owner) : owner;
    const reviewed = opened + random.integer(30, 300) * MINUTE;
    const answered = reviewed + random.integer(5, 90) * MINUTE;
    const approved = answered + random.integer(20, 200) * MINUTE;
    const ended = approved + random.integer(1, 40) * HOUR;
    const roll = random.next();
    const isMerged = !staysOpen && roll < 0.75 && !isChanged(path, pushed, ended) && ended < until;
    const isClosed = !staysOpen && !isMerged && roll > 0.85 && ended < until;
    const isDraft = !isMerged && !isClosed && random.chance(0.3);
    const title = branch.startsWith('try-') ? `Try another way for ${thing}` : `Describe ${thing}`;
    const request = {
      source: branch,
      title: isDraft ? `Draft: ${title}` : title,
      description: `What we agreed on about ${thing}.\n\n- [x] tried on a harbour of ours\n- [ ] written down`,
      username: person.username,
      time: opened,
      reviewer: reviewer.username,
      notes: [
        { username: reviewer.username, time: reviewed, body: random.pick(reviewTexts) },
        { username: person.username, time: answered, body: random.pick(answerTexts) },
      ].filter(({ time }) => time < until),
    };
    if (!isMerged) {
      const approvedAt = isDraft || isClosed || approved >= until || random.chance(0.5) ? undefined : approved;
      return { ...request, approvedAt, end: isClosed ? { kind: 'close', username: person.username, time: ended } : undefined };
    }
    const message = `Merge branch '${branch}' into 'main'\n\n${request.title}`;
    const plan = { kind: 'merge', user: authorOf(owner), at: ended, source: branch, branch: 'main', message } as const;
    merges.push({ username: owner.username, time: ended, plan });
    return { ...request, approvedAt: approved, end: { kind: 'merge', username: owner.username, time: ended } };
  });
  return { pushes: [...pushes, ...merges].sort((one, other) => one.time - other.time), mergeRequests };
}

function membersWith(project: DemoProject, level: number): DemoPerson[] {
  return project.members.filter(([username, held]) => held === level && username !== 'root').map(([username]) => named(username));
}

function named(username: string): DemoPerson {
  const person = username === 'root' ? ROOT : people.find((one) => one.username === username);
  if (person === undefined) throw new Error(`the demo data has no ${username}`);
  return person;
}

/** Returns the user in the form used by commits. */
export function authorOf(person: DemoPerson | string) {
  const { name, username } = typeof person === 'string' ? named(person) : person;
  return { name, username, email: `${username}@tidemark.example` };
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[random.integer(0, items.length - 1)];
  if (item === undefined) throw new Error('there is nobody to pick');
  return item;
}

/** `the berth search` → `berth-search` */
function slug(thing: string): string {
  return thing
    .replace(/^the /, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
}

function fileAbout(
  trade: Trade,
  thing: string,
  random: Random,
  isNew: boolean,
): { readonly path: string; readonly text: string } {
  const name = slug(thing);
  const word = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const limit = random.integer(2, 90);
  const about = `${thing.charAt(0).toUpperCase()}${thing.slice(1)}`;
  const more = isNew ? '' : `Since ${random.integer(2, 9)}.0 it keeps what it was given.`;
  const sentence = [`${about}.`, more].filter((part) => part !== '').join(' ');
  switch (trade) {
    case 'service':
    case 'ui':
      return {
        path: `src/${word}.js`,
        text: `// ${sentence}\nconst LIMIT = ${limit};\n\nexport function ${word}(items) {\n  return items.filter((item) => item.days <= LIMIT);\n}\n`,
      };
    case 'device':
      return {
        path: `src/${name.replaceAll('-', '_')}.c`,
        text: `/* ${sentence} */\n#include <stdint.h>\n\nstatic const uint8_t limit = ${limit};\n\nint ${name.replaceAll('-', '_')}(uint8_t value)\n{\n\treturn value <= limit;\n}\n`,
      };
    case 'tool':
    case 'data':
      return {
        path: `${trade === 'data' ? 'tides' : 'simulator'}/${name.replaceAll('-', '_')}.py`,
        text: `"""${sentence}"""\n\nLIMIT = ${limit}\n\n\ndef ${name.replaceAll('-', '_')}(values):\n    return [value for value in values if value <= LIMIT]\n`,
      };
    case 'docs':
      return {
        path: `pages/${name}.md`,
        text: `# ${about}\n\n${sentence}\n\n1. Look who is on duty.\n2. Wait ${limit} minutes.\n3. Ask.\n`,
      };
    case 'ops':
      return {
        path: `services/${name}.yaml`,
        text: `# ${sentence}\nname: ${name}\nreplicas: ${(limit % 4) + 1}\ntimeout: ${limit}s\n`,
      };
  }
}
