import { createHash } from 'node:crypto';
import { addFile, createPackage, type PackageType } from '../features/packages/packages.ts';
import type { Core } from '../core/core.ts';
import type { FoundProject } from '../features/projectAccess/projectAccess.ts';
import { type ContainerRepository, createContainerRepository, writeContainerTag } from '../features/registry/registry.ts';
import type { LinkInput } from '../features/releases/releases.ts';
import type { Trade } from './demoTexts.ts';

/** Packages and images of a release of the demo data. */
interface Delivery {
  readonly type: PackageType;
  /** Returns the file names for a package name and a version. */
  files(name: string, version: string): readonly string[];
  /** Names of the images, relative to the project. */
  readonly images: readonly string[];
}

const deliveries: Readonly<Partial<Record<Trade, Delivery>>> = {
  service: {
    type: 'maven',
    files: (name, version) => [`${name}-${version}.jar`, `${name}-${version}.pom`],
    images: ['', 'worker'],
  },
  ui: { type: 'npm', files: (name, version) => [`${name}-${version}.tgz`], images: [''] },
  device: { type: 'generic', files: (name, version) => [`${name}-${version}.bin`, 'checksums.txt'], images: [] },
  tool: {
    type: 'pypi',
    files: (name, version) => [`${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`, `${name}-${version}.tar.gz`],
    images: [''],
  },
  data: {
    type: 'pypi',
    files: (name, version) => [`${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`],
    images: ['import'],
  },
  ops: { type: 'helm', files: (name, version) => [`${name}-${version}.tgz`], images: ['backup'] },
};

/** Returns links to more information about a release. */
export function releaseLinks({ project }: FoundProject, tag: string): LinkInput[] {
  const site = `https://downloads.tidemark.example/${project.path}/${tag}`;
  return [
    { name: 'Notes for the harbours', url: `${site}/notes.html`, linkType: 'runbook' },
    { name: 'Everything in one file', url: `${site}/${project.path}.zip`, filepath: '/everything.zip', linkType: 'package' },
  ];
}

/** Creates the package and container images of a release. `built` contains the existing image repositories by name. */
export function deliver(
  core: Core,
  found: FoundProject,
  { trade, tag, pipelineIds }: { readonly trade: Trade; readonly tag: string; readonly pipelineIds: readonly number[] },
  built: Map<string, ContainerRepository>,
): void {
  const delivery = deliveries[trade];
  if (delivery === undefined) return;
  const { path } = found.project;
  const version = tag.slice(1);
  const name = delivery.type === 'npm' ? `@tidemark/${path}` : delivery.type === 'maven' ? `example/tidemark/${path}` : path;
  const made = createPackage(core, found, { name, version, type: delivery.type, tags: ['latest'], pipelineIds });
  for (const file of delivery.files(path, version)) {
    const of = (algorithm: string): string => createHash(algorithm).update(`${path} ${file}`).digest('hex');
    addFile(core, made, {
      name: file,
      size: sizeOf(of('sha256'), 12),
      sha256: of('sha256'),
      sha1: of('sha1'),
      md5: of('md5'),
    });
  }
  for (const image of delivery.images) {
    const repository = built.get(image) ?? createContainerRepository(core, found, image);
    built.set(image, repository);
    const digest = createHash('sha256').update(`${path} ${image} ${version}`).digest('hex');
    const revision = createHash('sha256').update(digest).digest('hex');
    const [major = '0', minor = '0'] = version.split('.');
    for (const tagName of [version, `${major}.${minor}`, 'latest'])
      writeContainerTag(core, repository, {
        name: tagName,
        digest: `sha256:${digest}`,
        revision,
        totalSize: sizeOf(digest, 40) + 20_000_000,
      });
  }
}

/** Returns a size in bytes derived from a hash, up to some millions. */
function sizeOf(hash: string, most: number): number {
  return 4096 + (Number.parseInt(hash.slice(0, 8), 16) % (most * 1_000_000));
}
