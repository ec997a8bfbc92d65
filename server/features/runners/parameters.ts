import { isSentEmpty, refuseTogether } from '../../http/combinations.ts';
import { boolean, hash, integer, oneOf, string, strings } from '../../http/params.ts';
import { accessLevels } from './rules.ts';
import type { RunnerInput } from './manageRunners.ts';
import type { RunnerInfo } from './store.ts';

/** Parameters of new and changed runners. */
export const attributeParameters = () => ({
  description: string(),
  maintenance_note: string(),
  paused: boolean(),
  locked: boolean(),
  run_untagged: boolean(),
  access_level: oneOf(accessLevels)(),
  maximum_timeout: integer(),
  tag_list: strings(),
});

interface Attributes {
  readonly description: string | undefined;
  readonly maintenance_note: string | undefined;
  readonly maintainer_note?: string | undefined;
  readonly paused: boolean | undefined;
  readonly active?: boolean | undefined;
  readonly locked: boolean | undefined;
  readonly run_untagged: boolean | undefined;
  readonly access_level: (typeof accessLevels)[number] | undefined;
  readonly maximum_timeout: number | undefined;
  readonly tag_list: readonly string[] | undefined;
}

/**
 * Returns the attributes of a request. `active` is the older name of the opposite of `paused`, and `maintainer_note` that of
 * `maintenance_note`.
 *
 * @throws {InvalidParameters} If both names are sent.
 */
export function inputOf(params: Attributes, sent: Readonly<Record<string, unknown>>): RunnerInput {
  refuseTogether(sent, ['maintainer_note', 'maintenance_note']);
  refuseTogether(sent, ['active', 'paused']);
  return {
    description: params.description,
    maintenanceNote: params.maintenance_note ?? params.maintainer_note,
    paused: params.paused ?? (params.active === undefined ? undefined : !params.active),
    locked: params.locked,
    runUntagged: params.run_untagged,
    accessLevel: params.access_level,
    maximumTimeout: isSentEmpty(sent, 'maximum_timeout') ? null : params.maximum_timeout,
    tags: params.tag_list,
  };
}

/** Parameter with which a runner describes itself. */
export const infoParameters = () => ({
  info: hash({ name: string(), version: string(), revision: string(), platform: string(), architecture: string() }),
});

const MAX_INFO = 255;

/** Returns how a runner describes itself, with long texts cut off. */
export function infoOf(sent: Readonly<Partial<Record<keyof RunnerInfo, string | undefined>>> = {}): RunnerInfo {
  const text = (value: string | undefined): string | null => value?.slice(0, MAX_INFO).toWellFormed() ?? null;
  const { name, version, revision, platform, architecture } = sent;
  return {
    name: text(name),
    version: text(version),
    revision: text(revision),
    platform: text(platform),
    architecture: text(architecture),
  };
}
