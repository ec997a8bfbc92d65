import { findGroup } from '../features/groups/groups.ts';
import type { User } from '../core/caller.ts';
import { findUserByName } from '../features/users/users.ts';
import { nearest } from '../support/nearest.ts';
import type { Core } from '../core/core.ts';
import { findProject, type FoundProject } from '../features/projectAccess/projectAccess.ts';
import type { Path, Problem } from './document.ts';
import type { Seed } from './format.ts';
import { type Step, StepRefused } from './timeline.ts';
import { readDay, readTime } from './times.ts';

/** A user that a file refers to, either in the file or already on the server. */
export interface Person {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** Undefined for a user who already exists. */
  readonly step: Step | undefined;
}

/** Secrets that a seed file generates. They are reported once and not stored. */
export interface MadeSecrets {
  readonly passwords: { readonly username: string; readonly password: string }[];
  readonly tokens: { readonly username: string; readonly name: string; readonly token: string }[];
  readonly applications: { readonly name: string; readonly application_id: string; readonly secret: string | null }[];
}

export type TitledKind = 'epic' | 'label' | 'milestone' | 'pipeline' | 'tag';

/** Steps of a seed file, and the problems of its references. */
export interface Plan {
  readonly core: Core;
  readonly seed: Seed;
  readonly now: number;
  readonly problems: Problem[];
  readonly steps: Step[];
  readonly made: MadeSecrets;
  /** Returns a user by username. If there is none, adds a problem and returns undefined. */
  person(path: Path, username: string): Person | undefined;
  hasPerson(username: string): boolean;
  addPerson(person: Person): void;
  /** Returns the step that creates a group, if the group is in the file. */
  groupStep(fullPath: string): Step | undefined;
  addGroup(fullPath: string, creator: string, step: Step): void;
  creatorOfGroup(fullPath: string): string | undefined;
  hasGroup(fullPath: string): boolean;
  /** Registers a membership, so that what the member does there comes after it. */
  addMembership(fullPath: string, username: string, step: Step): void;
  /** Returns the steps that make a user a member of a project or group or of its parent groups. */
  membershipsOf(fullPath: string, username: string): Step[];
  /** Registers the step that creates an object which others refer to by its title. */
  addCreation(kind: TitledKind, fullPath: string, title: string, step: Step): void;
  /** Returns the step that creates the object with a title, in a project or group or its parent groups. */
  stepThatCreates(kind: TitledKind, fullPath: string, title: string): Step | undefined;
  time(path: Path, text: string | undefined): number | undefined;
  day(path: Path, text: string | undefined): number | undefined;
  add(step: Step): Step;
  addProblem(path: Path, text: string): void;
}

export function createPlan(core: Core, seed: Seed, now: number): Plan {
  const problems: Problem[] = [];
  const steps: Step[] = [];
  const people = new Map<string, Person>();
  const groups = new Map<string, { readonly step: Step; readonly creator: string }>();
  const memberships = new Map<string, Step[]>();
  const key = (text: string): string => text.toLowerCase();
  const creations = new Map<string, Step>();
  const addProblem = (path: Path, text: string): void => void problems.push({ path, text });

  return {
    core,
    seed,
    now,
    problems,
    steps,
    made: { passwords: [], tokens: [], applications: [] },
    addProblem,
    person: (path, username) => {
      const known = people.get(key(username));
      if (known !== undefined) return known;
      const stored = findUserByName(core, username);
      if (stored !== undefined) {
        const person = { username: stored.username, name: stored.name, email: stored.email, step: undefined };
        people.set(key(username), person);
        return person;
      }
      // Root is created with the first write.
      if (key(username) === 'root')
        return { username: 'root', name: 'Administrator', email: 'root@signalbox.example', step: undefined };
      const named = [...people.values()].map((one) => one.username);
      const close = nearest(username.slice(0, 100), named, 2);
      addProblem(path, `is not a user in this file or on the server${close === undefined ? '' : `; did you mean ${close}?`}`);
      return undefined;
    },
    hasPerson: (username) =>
      people.has(key(username)) || key(username) === 'root' || findUserByName(core, username) !== undefined,
    addPerson: (person) => {
      people.set(key(person.username), person);
    },
    groupStep: (fullPath) => groups.get(key(fullPath))?.step,
    addGroup: (fullPath, creator, step) => {
      groups.set(key(fullPath), { creator, step });
    },
    creatorOfGroup: (fullPath) => groups.get(key(fullPath))?.creator,
    hasGroup: (fullPath) => {
      const root = findUserByName(core, 'root');
      return groups.has(key(fullPath)) || (root !== undefined && findGroup(core, fullPath, { user: root }) !== undefined);
    },
    addMembership: (fullPath, username, step) => {
      const member = `${key(fullPath)} ${key(username)}`;
      memberships.set(member, [...(memberships.get(member) ?? []), step]);
    },
    membershipsOf: (fullPath, username) => {
      const parts = key(fullPath).split('/');
      return parts.flatMap((_, index) => memberships.get(`${parts.slice(0, index + 1).join('/')} ${key(username)}`) ?? []);
    },
    addCreation: (kind, fullPath, title, step) => {
      creations.set(`${kind} ${key(fullPath)} ${title}`, step);
    },
    stepThatCreates: (kind, fullPath, title) => {
      const parts = key(fullPath).split('/');
      return parts
        .map((_, index) => creations.get(`${kind} ${parts.slice(0, index + 1).join('/')} ${title}`))
        .findLast((one) => one !== undefined);
    },
    time: (path, text) => {
      if (text === undefined) return undefined;
      const time = readTime(text, now);
      if (time === undefined) addProblem(path, 'is not a valid time');
      else if (time > now) addProblem(path, 'is in the future');
      else if (time < 0) addProblem(path, 'is before 1970');
      return time;
    },
    day: (path, text) => {
      if (text === undefined) return undefined;
      const day = readDay(text, now);
      if (day === undefined || day < 0) addProblem(path, 'is not a valid date');
      return day;
    },
    add: (step) => {
      steps.push(step);
      return step;
    },
  };
}

/** Returns the steps that create the users an action needs. */
export function stepsOf(...people: readonly (Person | undefined)[]): Step[] {
  return people.map((person) => person?.step).filter((step) => step !== undefined);
}

/** Returns a user while the steps run. Throws StepRefused if the user does not exist. */
export function userOf(core: Core, path: Path, person: Person): User {
  const user = findUserByName(core, person.username);
  if (user === undefined) throw new StepRefused(path, 'requires a user who does not exist');
  return user;
}

/** Returns a project as seen by a user while the steps run. Throws StepRefused if the user cannot see it. */
export function projectOf(core: Core, path: Path, fullPath: string, user: User): FoundProject {
  const found = findProject(core, fullPath, { user });
  if (found === undefined) throw new StepRefused(path, `is not possible: ${user.username} cannot see the project`);
  return found;
}

/** Splits a path at its last slash. */
export function splitPath(fullPath: string): { readonly parent: string | undefined; readonly own: string } {
  const at = fullPath.lastIndexOf('/');
  return { parent: at < 0 ? undefined : fullPath.slice(0, at), own: fullPath.slice(at + 1) };
}
