import assert from 'node:assert/strict';
import { hoverText, lensText, lineText, type MarkedError } from '../../../src/errorMarks/texts.ts';
import { sparkline } from '../../../src/errorTracking/sparkline.ts';
import type { ErrorDetail } from '../../../src/contract/errorDetail.ts';
import { errorDetail, errorEvent } from '../errorPanel/details.ts';

const NOW = Date.parse('2026-03-04T12:00:00Z');
const settings = { now: NOW, locale: 'en' };
const LINK = { errorId: '7', account: 'https://gitlab.example.com#1', path: 'acme/shop' };

function marked(more: Partial<ErrorDetail> = {}, doubt: MarkedError['doubt'] = null): MarkedError {
  const detail = errorDetail({ count: 572, user_count: 10, last_seen: NOW - 360_000, ...more });
  return { project: { account: 'https://gitlab.example.com#1', id: 1, path: 'acme/shop' }, error: detail, detail, doubt };
}

const hours = (...counts: readonly number[]) => counts.map((count, index) => ({ from: index * 3_600_000, count }));

describe('the text at the end of a marked line', () => {
  it('says how often the error occurred, how many users it affected, and when last', () => {
    assert.equal(lineText([marked()], settings), '572 events · 10 users · 6 minutes ago');
    assert.equal(lineText([marked({ count: 1, user_count: 0 })], settings), '1 event · 6 minutes ago');
  });

  it('adds the events of several errors, but not their users', () => {
    const other = marked({ id: '8', count: 1000, last_seen: NOW - 60_000 });
    assert.equal(lineText([marked(), other], settings), '2 errors · 1,572 events · 1 minute ago');
  });
});

describe('the code lens of an error', () => {
  it('says what happened and how often, and is shorter beside others at the same line, so that all are visible', () => {
    const { error } = marked({ title: `TypeError: ${'a'.repeat(200)}` });
    assert.equal(lensText(error, 1, 'en'), `TypeError: ${'a'.repeat(78)}… · 572 events`);
    assert.equal(lensText(error, 2, 'en'), `TypeError: ${'a'.repeat(33)}… · 572 events`);
    assert.equal(lensText(error, 3, 'en'), `TypeError: ${'a'.repeat(18)}… · 572 events`);
    assert.equal(lensText(marked({ count: 1 }).error, 3, 'en'), 'TypeError: boom · 1 event');
  });
});

describe('the hover of a marked line', () => {
  it('has the message, the release of the last event, the last day and links', () => {
    const text = hoverText([marked({ latestEvent: errorEvent('a'), hourly: hours(0, 1, 7) })], () => true, settings);
    for (const part of [
      '**TypeError&#58; boom**',
      '572 events · 10 users · 6 minutes ago',
      'Release&#58; 1\\.0',
      '`▁▂█` 8 events in 24 hours',
    ])
      assert.ok(text.includes(part), `${part} is not in ${text}`);
    const links = [...text.matchAll(/\[([^\]]+)\]\(command:([^?]+)\?([^)]+)\)/g)];
    assert.deepEqual(
      links.map(([, label, command, argument = '']) => [label, command, JSON.parse(decodeURIComponent(argument))]),
      [
        ['Show Error', 'signalbox.errorTracking.show', [LINK]],
        ['Resolve', 'signalbox.errorTracking.resolve', [LINK]],
        ['Ignore…', 'signalbox.errorTracking.ignore', [LINK]],
        ['Assign…', 'signalbox.errorTracking.assign', [LINK]],
        ['Merge…', 'signalbox.errorTracking.merge', [LINK]],
        ['Create Issue…', 'signalbox.errorTracking.createIssue', [LINK]],
        ['Replay in Debugger', 'signalbox.errorReplay.start', [LINK]],
        ['Open in Browser', 'signalbox.errorTracking.openInBrowser', [LINK]],
      ],
    );
    assert.ok(!text.includes('may have moved'));
  });

  it('says if the line may have moved, and offers to resolve only where that is possible', () => {
    const text = hoverText([marked({}, 'noRelease')], () => false, settings);
    assert.ok(text.includes('The line may have moved&#58; the event names no release'), text);
    assert.ok(!text.includes('Resolve') && !text.includes('24 hours'), text);
  });

  it('explains each reason why a line can be another one, with the release', () => {
    const reasons = ['noRepository', 'unknownRelease', 'missingCommit', 'missingFile', 'failed', 'changed', 'otherCode'] as const;
    const texts = reasons.map((doubt) => hoverText([marked({ latestEvent: errorEvent('a') }, doubt)], () => true, settings));
    assert.equal(new Set(texts).size, reasons.length);
    for (const text of texts) assert.match(text, /line (?:may have moved|has changed)/);
    assert.ok(texts[1]?.includes('release 1\\.0 is neither a commit nor a tag'), texts[1]);
  });

  it('describes three errors of a line and counts the others', () => {
    const text = hoverText(
      ['1', '2', '3', '4', '5'].map((id) => marked({ id, title: `Error ${id}` })),
      () => true,
      settings,
    );
    assert.ok(text.includes('**Error 3**') && !text.includes('Error 4'), text);
    assert.ok(text.endsWith('Further errors at this line: 2'), text);
  });

  it('shows what a program sent as plain text and shortens it', () => {
    const text = hoverText([marked({ title: '[x](command:evil) <img>**' })], () => true, settings);
    assert.ok(text.startsWith('**\\[x\\]\\(command&#58;evil\\) &#60;img&#62;\\*\\***'), text);
    assert.ok(hoverText([marked({ title: 'x'.repeat(9000) })], () => true, settings).length < 2000);
  });

  it('draws a chart that shows a single event beside many', () => {
    assert.equal(sparkline(hours(0, 1, 1000, 500)), '▁▂█▅');
    assert.equal(sparkline([]), '');
  });
});
