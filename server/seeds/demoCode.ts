import { DAY, HOUR, MINUTE } from '../clock.ts';
import type { PlannedCommit, PlannedTag } from '../git/prepared.ts';
import { type DemoPerson, type DemoProject, people } from './demoPeople.ts';
import type { Trade } from './demoTexts.ts';
import { type Random, randomFrom } from './random.ts';

/** Repositories came to the demo data later: what is pushed follows a seed of its own. */
const CODE_SEED = 20_261_121;
/** Hours after midnight, when every project of the day is there. */
const FIRST_PUSH = 9;
const RELEASE_EVERY = 4;

/** Something that somebody pushes in the demo data. */
export interface DemoPush {
  readonly username: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly plan: PlannedCommit | PlannedTag;
}

/** What is pushed to a project from the day of its opening on, in the order of time. */
export function pushesTo(project: DemoProject, openedOn: number, start: number, days: number): DemoPush[] {
  const random = randomFrom(CODE_SEED + [...project.name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0));
  const owner = named(project.owner);
  const maintainers = [owner, ...membersWith(project, 40)];
  const developers = membersWith(project, 30);
  const pushes: DemoPush[] = [];
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
      commit(
        time + 50 * MINUTE,
        pick(random, developers),
        `Try another way for ${other}`,
        { [draft.path]: draft.text },
        `try-${slug(other)}-${day}`,
      );
    }
  }
  return pushes.sort((one, other) => one.time - other.time);
}

function membersWith(project: DemoProject, level: number): DemoPerson[] {
  return project.members.filter(([username, held]) => held === level && username !== 'root').map(([username]) => named(username));
}

function named(username: string): DemoPerson {
  const person = people.find((one) => one.username === username);
  if (person === undefined) throw new Error(`the demo data has no ${username}`);
  return person;
}

function authorOf({ name, username }: DemoPerson) {
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
