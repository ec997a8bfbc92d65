// Instructions to install and register the program that runs jobs, for each platform that has it.

const DOWNLOADS = 'https://gitlab-runner-downloads.s3.amazonaws.com/latest/binaries';
const DOCUMENTATION = 'https://docs.gitlab.com/runner/install';

type Download = readonly [architecture: string, address: string];

/** A platform of the runner. */
export interface RunnerPlatform {
  readonly name: string;
  readonly title: string;
  /** Architectures with the addresses of the program; empty for platforms where it is no program of its own. */
  readonly downloads: readonly Download[];
  /** Returns the commands that install the program; for the other platforms, the address of a page that explains it. */
  readonly install: (download: string) => string;
  /** Command that starts the program; undefined where it is no program of its own. */
  readonly command?: string;
}

function downloads(platform: string, architectures: readonly string[], ending = ''): Download[] {
  return architectures.map((name) => [name, `${DOWNLOADS}/gitlab-runner-${platform}-${name}${ending}`]);
}

const onUnix = (more: readonly string[]) => (download: string) =>
  [
    `sudo curl -L --output /usr/local/bin/gitlab-runner ${download}`,
    'sudo chmod +x /usr/local/bin/gitlab-runner',
    ...more,
    '',
  ].join('\n');

const explained = (page: string) => () => `${DOCUMENTATION}/${page}`;

export const runnerPlatforms: readonly RunnerPlatform[] = [
  {
    name: 'linux',
    title: 'Linux',
    downloads: downloads('linux', ['amd64', '386', 'arm', 'arm64']),
    install: onUnix([
      "sudo useradd --comment 'GitLab Runner' --create-home gitlab-runner --shell /bin/bash",
      'sudo gitlab-runner install --user=gitlab-runner --working-directory=/home/gitlab-runner',
      'sudo gitlab-runner start',
    ]),
    command: 'sudo gitlab-runner',
  },
  {
    name: 'osx',
    title: 'macOS',
    downloads: downloads('darwin', ['amd64', 'arm64']),
    install: onUnix(['cd ~', 'gitlab-runner install', 'gitlab-runner start']),
    command: 'gitlab-runner',
  },
  {
    name: 'windows',
    title: 'Windows',
    downloads: downloads('windows', ['amd64', '386'], '.exe'),
    install: (download) =>
      [
        "New-Item -Path 'C:\\GitLab-Runner' -ItemType Directory",
        "cd 'C:\\GitLab-Runner'",
        `Invoke-WebRequest -Uri "${download}" -OutFile "gitlab-runner.exe"`,
        '.\\gitlab-runner.exe install',
        '.\\gitlab-runner.exe start',
        '',
      ].join('\n'),
    command: './gitlab-runner.exe',
  },
  { name: 'docker', title: 'Docker', downloads: [], install: explained('docker.html') },
  { name: 'kubernetes', title: 'Kubernetes', downloads: [], install: explained('kubernetes.html') },
];
