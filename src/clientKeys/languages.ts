/** Languages whose SDKs report errors to the platform (docs/interface.md#error-ingestion). */
export const LANGUAGES = ['go', 'java', 'node', 'php', 'python', 'ruby', 'rust'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Form in which an SDK sends events. */
export type IngestStyle = 'envelope' | 'store';

export interface LanguageData {
  /** Name of the language, which is the same in every language of the user. */
  readonly label: string;
  /** Names of files, in any folder, that show that a workspace has programs in this language. */
  readonly files: readonly string[];
  /** Language of the set-up in an editor, as VS Code names it. */
  readonly editorLanguage: string;
  /** Style that the platform documents for the language; the other one is accepted as well. */
  readonly style: IngestStyle;
  /** Returns code that sets up the SDK. */
  readonly setUp: (dsn: string) => string;
}

export const languageData: Readonly<Record<Language, LanguageData>> = {
  go: {
    label: 'Go',
    files: ['go.mod'],
    editorLanguage: 'go',
    style: 'store',
    setUp: (dsn) => `// go get github.com/getsentry/sentry-go
package main

import (
	"log"
	"time"

	"github.com/getsentry/sentry-go"
)

func main() {
	err := sentry.Init(sentry.ClientOptions{
		Dsn:     "${dsn}",
		Release: "my-program@1.0.0",
	})
	if err != nil {
		log.Fatalf("sentry.Init: %s", err)
	}
	defer sentry.Flush(2 * time.Second)
}
`,
  },
  java: {
    label: 'Java',
    files: ['pom.xml', 'build.gradle', 'build.gradle.kts'],
    editorLanguage: 'java',
    style: 'envelope',
    setUp: (dsn) => `// Gradle: implementation 'io.sentry:sentry:8.+'
import io.sentry.Sentry;

public class Main {
  public static void main(String[] args) {
    Sentry.init(options -> {
      options.setDsn("${dsn}");
      options.setRelease("my-program@1.0.0");
    });
  }
}
`,
  },
  node: {
    label: 'Node.js',
    files: ['package.json'],
    editorLanguage: 'javascript',
    style: 'envelope',
    setUp: (dsn) => `// npm install @sentry/node
import * as Sentry from '@sentry/node';

Sentry.init({
  dsn: '${dsn}',
  release: 'my-program@1.0.0',
});
`,
  },
  php: {
    label: 'PHP',
    files: ['composer.json'],
    editorLanguage: 'php',
    style: 'store',
    setUp: (dsn) => `<?php
// composer require sentry/sentry
\\Sentry\\init([
    'dsn' => '${dsn}',
    'release' => 'my-program@1.0.0',
]);
`,
  },
  python: {
    label: 'Python',
    files: ['pyproject.toml', 'requirements.txt', 'setup.py', 'Pipfile'],
    editorLanguage: 'python',
    style: 'envelope',
    setUp: (dsn) => `# pip install sentry-sdk
import sentry_sdk

sentry_sdk.init(
    dsn="${dsn}",
    release="my-program@1.0.0",
)
`,
  },
  ruby: {
    label: 'Ruby',
    files: ['Gemfile'],
    editorLanguage: 'ruby',
    style: 'envelope',
    setUp: (dsn) => `# bundle add sentry-ruby
require 'sentry-ruby'

Sentry.init do |config|
  config.dsn = '${dsn}'
  config.release = 'my-program@1.0.0'
end
`,
  },
  rust: {
    label: 'Rust',
    files: ['Cargo.toml'],
    editorLanguage: 'rust',
    style: 'envelope',
    setUp: (dsn) => `// cargo add sentry
fn main() {
    let _guard = sentry::init(("${dsn}", sentry::ClientOptions {
        release: Some("my-program@1.0.0".into()),
        ..Default::default()
    }));
}
`,
  },
};

/** Returns the languages of a workspace by the names of files in it, those first for which there are most files. */
export function languagesOf(fileNames: readonly string[]): readonly Language[] {
  const counts = LANGUAGES.map((language) => {
    const { files } = languageData[language];
    return { language, count: fileNames.filter((name) => files.includes(name)).length };
  });
  return counts
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)
    .map(({ language }) => language);
}
