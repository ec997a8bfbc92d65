import type { SeedCore } from './seedCore.ts';
import type { GitCore } from '../repositories/repositories.ts';
import { DAY, HOUR, isoDate, MINUTE } from '../core/clock.ts';
import { createClientKey } from '../features/clientKeys/clientKeys.ts';
import { setErrorTracking } from '../features/errorTracking/errorTracking.ts';
import { discardHistory } from '../features/preparedRepositories/preparedRepositories.ts';
import { addGroupMember, createGroup, findGroup } from '../features/groups/groups.ts';
import type { User } from '../core/caller.ts';
import { createUser, ensureRoot, hasPeopleBesidesRoot, storePassword } from '../features/users/users.ts';
import { commentOnIssue, createIssue, findIssue, type Issue, updateIssue } from '../features/issues/issues.ts';
import { createLabel } from '../features/labels/labels.ts';
import { createMilestone } from '../features/milestones/milestones.ts';
import type { Core } from '../core/core.ts';
import { insertStar } from '../features/stars/stars.ts';
import { addMember, removeMember } from '../features/members/members.ts';
import { createProject } from '../features/projects/projects.ts';
import { findProject, type FoundProject } from '../features/projectAccess/projectAccess.ts';
import { holdsRole } from '../features/abilities/abilities.ts';
import { randomPassword } from '../core/secrets.ts';
import { groupProjects, groups } from './demoGroups.ts';
import { comingsAndGoings, type DemoProject, people, projects } from './demoPeople.ts';
import { recordErrors } from './demoErrors.ts';
import { demoReleases } from './demoFailures.ts';
import { discardEvening, eveningOf, spendEvening } from './demoEvening.ts';
import { type PreparedEvening, prepareEvening } from './demoEveningCode.ts';
import { type DemoRepository, openingDay, prepareRepositories, pushNext, reviewsOf, SEASON_OPENING } from './demoPushes.ts';
import { commentTexts, confidentialTitles, descriptions, internalNotes, titles } from './demoTexts.ts';
import { chooseNotifications } from './demoNotifications.ts';
import { startMail } from './mail.ts';
import { pastOf } from './past.ts';
import { type Progress, silentProgress } from './progress.ts';
import { type Random, randomFrom } from './random.ts';

/** Number of days of activity. The last day ends at the previous midnight. */
const DAYS = 90;
const SEED = 20_240_611;
const FIRST_HOUR = 6;
/** Random seed of the groups, which were added to the demo data later and are created on its last evening. */
const GROUPS_SEED = 20_261_120;
const GROUPS_HOUR = 18;
const GROUPS_WORK = 48;
/** The last of them, about which people are mailed. Earlier work mails nobody, so that mailboxes are short. */
const MAILED_WORK = 20;
const TRACKED = 'Berth API';

export interface DemoPassword {
  readonly username: string;
  readonly password: string;
}

/**
 * Fills a database with the users, projects and 90 days of work of an invented company, through the same functions as the API and with the
 * clock moved. Names, texts and IDs are always the same; only the dates follow the clock. Returns the passwords, which are random and
 * stored nowhere, or undefined without any change if there are users besides root. Without `withPasswords`, users have no passwords.
 * Later additions come after everything else and use separate random seeds, so that
 * IDs stay the same. Nothing else may use the database meanwhile.
 */
export async function seedDemo(
  core: SeedCore,
  { withPasswords = true, progress = silentProgress }: { readonly withPasswords?: boolean; readonly progress?: Progress } = {},
): Promise<DemoPassword[] | undefined> {
  if (hasPeopleBesidesRoot(core)) return undefined;
  const made = withPasswords ? people.map(({ username }) => ({ username, ...randomPassword() })) : [];
  await writeDemo(
    core,
    made.map(({ hash }) => hash),
    progress,
  );
  const passwords = made.map(({ username, password }) => ({ username, password }));
  const root = ensureRoot(core);
  if (root.password_hash !== null) return passwords;
  const { password, hash } = randomPassword();
  storePassword(core, root, hash);
  return [{ username: root.username, password }, ...passwords];
}

/**
 * Writes the demo data without a password for root. `hashes` contains the password hashes of the other users; users without an entry have
 * no password.
 */
export async function writeDemo(core: SeedCore, hashes: readonly string[], progress: Progress = silentProgress): Promise<void> {
  const start = Math.floor(core.clock.now() / DAY) * DAY - DAYS * DAY;
  const repositories = await prepareRepositories(core, start, DAYS);
  const evening = await prepareEvening(core, repositories, eveningOf(start, DAYS));
  try {
    const total = DAYS + demoReleases.length;
    let done = 0;
    await core.store.transactionInSteps(
      () => fill(core, start, hashes, repositories, evening),
      (step) => step ?? progress('Writing demo data', (done += 1), total),
    );
  } catch (error) {
    for (const { history } of repositories) discardHistory(core, history);
    if (evening !== undefined) discardEvening(core, evening);
    throw error;
  }
}

/** Creates the milestone and the stars of a new project. Returns the number of the milestone. */
function furnish(core: Core, site: Site, users: readonly User[]): number {
  const [owner] = site.members;
  if (owner === undefined) throw new Error(`${site.plan.name} has no owner`);
  const { id } = createMilestone(core, { kind: 'project', id: site.id }, owner, {
    title: SEASON_OPENING,
    description: 'What has to be ready before the boats come back.',
    startDate: isoDate(core.clock.now()),
    dueDate: isoDate(core.clock.now() + 120 * DAY),
  });
  for (const user of users.filter(({ id }) => (id + site.id) % 3 === 0)) {
    if (findProject(core, site.id, { user }) !== undefined) insertStar(core.store, site.id, user.id, core.clock.now());
  }
  return id;
}

const topicsOf: Readonly<Record<DemoProject['trade'], readonly string[]>> = {
  service: ['harbours', 'services'],
  ui: ['harbours', 'interfaces'],
  device: ['firmware', 'docks'],
  tool: ['tests'],
  data: ['tides', 'open data'],
  docs: ['handbook'],
  ops: ['operations'],
};

/** A project of the demo data during its creation. */
interface Site {
  readonly plan: DemoProject;
  readonly id: number;
  readonly labels: readonly [string, ...string[]];
  /** Titles that are still unused. */
  readonly titles: string[];
  readonly confidentialTitles: string[];
  readonly open: Issue[];
  readonly closed: Issue[];
  readonly members: User[];
  /** The project as seen by each user, by index. Cached until memberships change, because every step needs it. */
  readonly seen: Map<number, FoundProject>;
  /** Milestone of every third issue. */
  readonly milestoneId?: number;
}

/** Yields after each day of work and after each release whose errors are recorded, and yields promises that have to be awaited. */
function* fill(
  core: SeedCore,
  start: number,
  hashes: readonly string[],
  repositories: readonly DemoRepository[],
  evening: PreparedEvening | undefined,
): Generator<Promise<void> | undefined, void> {
  let now = start + FIRST_HOUR * HOUR;
  const moved = pastOf(core, () => now);
  const past = moved.core;
  try {
    const random = randomFrom(SEED);
    const users = createPeople(past, hashes);
    const company = new Map(users.map((user) => [user.username, user]));
    const named = (username: string): User => {
      const user = company.get(username);
      if (user === undefined) throw new Error(`the demo data has no ${username}`);
      return user;
    };
    const reviews = repositories.map((repository) => ({
      project: repository.project,
      all: reviewsOf(past, repository, named),
    }));
    const sites: Site[] = [];
    for (let day = 0; day < DAYS; day += 1) {
      const morning = start + day * DAY + FIRST_HOUR * HOUR;
      now = morning;
      for (const plan of projects.filter((_, index) => openingDay(index) === day)) {
        const site = openSite(past, random, plan, company, (minutes) => (now += minutes * MINUTE));
        sites.push({ ...site, milestoneId: furnish(past, site, users) });
      }
      for (const change of comingsAndGoings.filter((entry) => entry.day === day)) {
        const site = sites.find((candidate) => candidate.plan.name === change.project);
        const user = company.get(change.username);
        if (site === undefined || user === undefined) throw new Error(`the demo data has no ${change.project}`);
        now += random.integer(5, 20) * MINUTE;
        if (change.level === null) leave(past, site, user);
        else join(past, site, user, change.level, company);
      }
      const begin = Math.max(now, morning + HOUR);
      const times = Array.from({ length: random.integer(42, 70) }, () => begin + Math.floor(random.next() * 10 * HOUR));
      const pushes = repositories.flatMap((repository) => {
        const site = sites.find(({ plan }) => plan.name === repository.project);
        if (site === undefined) return [];
        return repository.pushes
          .map(({ time, username }, index) => {
            const user = named(username);
            return { time, happens: () => pushNext(past, repository, index, asSeenBy(past, site, user), user) };
          })
          .filter(({ time }) => time >= morning && time < morning + DAY);
      });
      const reviewed = reviews.flatMap(({ project, all }) => {
        const site = sites.find(({ plan }) => plan.name === project);
        if (site === undefined) return [];
        return all
          .filter(({ time }) => time >= morning && time < morning + DAY)
          .map(({ time, username, happens }) => {
            const user = named(username);
            return { time, happens: () => happens(asSeenBy(past, site, user), user) };
          });
      });
      const works = times.map((time) => ({ time, happens: () => work(past, random, pickSite(random, sites), users) }));
      for (const { time, happens } of [...works, ...pushes, ...reviewed].sort((a, b) => a.time - b.time)) {
        now = Math.max(now, time);
        happens();
      }
      yield;
    }
    now = Math.max(now, start + (DAYS - 1) * DAY + GROUPS_HOUR * HOUR);
    let deliverMail = (): void => undefined;
    const pass = (minutes: number): void => {
      deliverMail();
      now += minutes * MINUTE;
    };
    foundGroups(past, randomFrom(GROUPS_SEED), company, pass, () => {
      chooseNotifications(past, named);
      deliverMail = startMail(past);
    });
    pass(1);
    trackErrors(past, sites);
    now = Math.max(now, eveningOf(start, DAYS));
    spendEvening(past, named, evening, () => pass(1));
    deliverMail();
    yield* recordErrors(core, trackedSite(sites).id);
  } finally {
    moved.end();
  }
}

/** Creates the groups of the company with their projects, and their first evening of work. Calls `beginMail` before the last part of it. */
function foundGroups(
  core: GitCore,
  random: Random,
  company: ReadonlyMap<string, User>,
  wait: (minutes: number) => void,
  beginMail: () => void,
): void {
  const named = (username: string): User => {
    const user = company.get(username);
    if (user === undefined) throw new Error(`the demo data has no ${username}`);
    return user;
  };
  const members = new Map<string, User[]>();
  for (const { parent, founder, members: others, ...plan } of groups) {
    wait(random.integer(1, 3));
    const user = named(founder);
    const parentPath = parent === undefined ? undefined : findGroup(core, parent, { user });
    const { group } = createGroup(core, user, { ...plan, parent: parentPath });
    for (const [username, level] of others) addGroupMember(core, group, named(username), { level }, { user });
    const inherited = parent === undefined ? [] : (members.get(parent) ?? []);
    members.set(group.full_path, [...new Set([...inherited, user, ...others.map(([username]) => named(username))])]);
  }
  const sites = groupProjects.map((plan) => {
    const namespace = findGroup(core, plan.group, { user: named(plan.owner) });
    if (namespace === undefined) throw new Error(`the demo data has no ${plan.group}`);
    const site = openSite(core, random, plan, company, wait, namespace.group.id);
    const inherited = (members.get(plan.group) ?? []).filter((user) => !site.members.includes(user));
    return { ...site, members: [...site.members, ...inherited] };
  });
  for (let count = 0; count < GROUPS_WORK; count += 1) {
    wait(random.integer(2, 8));
    if (count === GROUPS_WORK - MAILED_WORK) beginMail();
    work(core, random, pickSite(random, sites), [...company.values()]);
  }
}

/** Turns error tracking on in one project and creates its client key. */
function trackErrors(core: Core, sites: readonly Site[]): void {
  const { id } = trackedSite(sites);
  setErrorTracking(core, id, true);
  createClientKey(core, id);
}

function trackedSite(sites: readonly Site[]): Site {
  const site = sites.find(({ plan }) => plan.name === TRACKED);
  if (site === undefined) throw new Error(`the demo data has no ${TRACKED}`);
  return site;
}

function createPeople(core: Core, hashes: readonly string[]): User[] {
  const root = ensureRoot(core);
  const created = people.map((person, index) => {
    const user = createUser(core, {
      ...person,
      email: `${person.username}@tidemark.example`,
      passwordHash: hashes[index] ?? null,
    });
    if (typeof user === 'string') throw new Error(`the demo data cannot create ${person.username}: ${user}`);
    return user;
  });
  return [root, ...created];
}

function openSite(
  core: GitCore,
  random: Random,
  plan: DemoProject,
  company: ReadonlyMap<string, User>,
  wait: (minutes: number) => void,
  namespaceId?: number,
): Site {
  const owner = company.get(plan.owner);
  if (owner === undefined) throw new Error(`the demo data has no ${plan.owner}`);
  wait(random.integer(2, 12));
  const { project } = createProject(core, owner, {
    name: plan.name,
    description: plan.description,
    visibility: plan.visibility,
    namespaceId,
    topics: topicsOf[plan.trade],
  });
  for (const title of plan.labels) createLabel(core, { kind: 'project', id: project.id }, { title, color: colorOf(title) });
  const all = titles[plan.trade].flatMap((title) => plan.things.map((thing) => aboutThing(title, thing)));
  const site: Site = {
    plan,
    id: project.id,
    labels: plan.labels,
    titles: shuffled(random, all),
    confidentialTitles: shuffled(random, confidentialTitles[plan.trade]),
    open: [],
    closed: [],
    members: [owner],
    seen: new Map(),
  };
  for (const [username, level] of plan.members) {
    const user = company.get(username);
    if (user === undefined) throw new Error(`the demo data has no ${username}`);
    wait(random.integer(1, 4));
    join(core, site, user, level, company);
  }
  return site;
}

/** Returns the color that labels of this title have in every project. */
function colorOf(title: string): string {
  const colors = ['#d9534f', '#5843ad', '#428bca', '#5cb85c', '#f0ad4e', '#8e44ad', '#34495e', '#a8d695'] as const;
  const sum = [...title].reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0);
  return colors[sum % colors.length] ?? colors[0];
}

function join(core: Core, site: Site, user: User, level: number, company: ReadonlyMap<string, User>): void {
  const owner = company.get(site.plan.owner);
  if (owner === undefined) throw new Error(`the demo data has no ${site.plan.owner}`);
  const { project, access } = asSeenBy(core, site, owner);
  addMember(core, project, user, { level, expiresAt: null }, { user: owner, access });
  site.members.push(user);
  site.seen.clear();
}

function leave(core: Core, site: Site, user: User): void {
  const { project, access } = asSeenBy(core, site, user);
  removeMember(core, project, user.id, { user, access });
  site.members.splice(site.members.indexOf(user), 1);
  site.seen.clear();
}

function asSeenBy(core: Core, site: Site, user: User): FoundProject {
  const found = site.seen.get(user.id) ?? findProject(core, site.id, { user });
  if (found === undefined) throw new Error(`${user.username} cannot see ${site.plan.name}`);
  site.seen.set(user.id, found);
  return found;
}

function pickSite(random: Random, sites: readonly Site[]): Site {
  const total = sites.reduce((sum, site) => sum + site.plan.weight, 0);
  let left = random.next() * total;
  for (const site of sites) {
    left -= site.plan.weight;
    if (left < 0) return site;
  }
  throw new Error('there is no project to work on');
}

/** Performs one action: usually a comment, otherwise opening, closing or reopening an issue. */
function work(core: Core, random: Random, site: Site, users: readonly User[]): void {
  const isOutside = site.plan.visibility !== 'private' && random.chance(0.08);
  const author = pickOne(random, isOutside ? users : site.members);
  const found = asSeenBy(core, site, author);
  const roll = random.next();
  const mayClose = holdsRole(found.access, 'reporter');
  if (site.open.length < 3 || roll < 0.22) open(core, random, site, found, author);
  else if (roll >= 0.8 && roll < 0.97 && mayClose) close(core, random, site, found, author);
  else if (roll >= 0.97 && mayClose && site.closed.length > 0) reopen(core, random, site, found, author);
  else comment(core, random, site, found, author);
}

function open(core: Core, random: Random, site: Site, found: FoundProject, author: User): void {
  const isConfidential = site.confidentialTitles.length > 0 && random.chance(0.03);
  const title = (isConfidential ? site.confidentialTitles : site.titles).pop();
  if (title === undefined) {
    comment(core, random, site, found, author);
    return;
  }
  const issue = createIssue(core, found, author, {
    title,
    description: random.chance(0.7) ? random.pick(descriptions) : undefined,
    labels: random.chance(0.8) ? [random.pick(site.labels)] : [],
    assigneeIds: random.chance(0.5) ? [pickOne(random, site.members).id] : [],
    confidential: isConfidential,
    milestoneId: (site.open.length + site.closed.length) % 3 === 0 ? site.milestoneId : undefined,
  });
  site.open.push(issue);
}

function comment(core: Core, random: Random, site: Site, found: FoundProject, author: User): void {
  const issue = recent(random, site.open);
  if (findIssue(core, found, issue.iid, author) === undefined) {
    open(core, random, site, found, author);
    return;
  }
  // Comments do not address root by name.
  const peers = site.members.filter((member) => member.id !== author.id && member.id !== 1);
  const [peer = ''] = (peers.length === 0 ? { name: 'Somebody' } : pickOne(random, peers)).name.split(' ');
  const { openers, followUps } = commentTexts(site.plan.trade);
  const isInternal = random.chance(0.04) && holdsRole(found.access, 'reporter');
  const parts = isInternal
    ? [random.pick(internalNotes)]
    : [random.pick(openers), ...(random.chance(0.6) ? [random.pick(followUps)] : [])];
  commentOnIssue(core, found, issue, author, { body: parts.join(' ').replaceAll('{peer}', peer), internal: isInternal });
}

function close(core: Core, random: Random, site: Site, found: FoundProject, author: User): void {
  const at = Math.floor(random.next() ** 2 * site.open.length);
  const [issue] = site.open.splice(at, 1);
  if (issue === undefined) throw new Error('there is no open issue');
  site.closed.push(updateIssue(core, found, issue, author, { stateEvent: 'close' }));
}

function reopen(core: Core, random: Random, site: Site, found: FoundProject, author: User): void {
  const issue = recent(random, site.closed);
  site.closed.splice(site.closed.indexOf(issue), 1);
  site.open.push(updateIssue(core, found, issue, author, { stateEvent: 'reopen' }));
}

/** Picks an entry, later ones more often than earlier ones. */
function recent<T>(random: Random, items: readonly T[]): T {
  const item = items[items.length - 1 - Math.floor(random.next() ** 2 * items.length)];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

function pickOne<T>(random: Random, items: readonly T[]): T {
  const item = items[random.integer(0, items.length - 1)];
  if (item === undefined) throw new Error('there is nobody to pick');
  return item;
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

function aboutThing(title: string, thing: string): string {
  return title.replaceAll('{thing}', thing).replaceAll('{Thing}', thing.charAt(0).toUpperCase() + thing.slice(1));
}
